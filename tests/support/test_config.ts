/** A resolved configuration for tests that drive an engine without a server. */

import { existsSync, realpathSync, statSync } from "node:fs";
import type { Config } from "../../src/config/config.ts";
import { emptyRawConfig } from "../../src/config/raw_config.ts";
import { resolveConfig } from "../../src/config/resolve_config.ts";

/** The defaults of a start in `workspace`, with some values replaced. */
export function testConfig(workspace: string, changes: Partial<Config> = {}): Config {
  const config = resolveConfig({ ...emptyRawConfig(), workspace }, {
    places: {
      canonical: (path) => existsSync(path) ? realpathSync(path) : null,
      isDirectory: (path) => statSync(path).isDirectory(),
    },
    environment: { PATH: "/usr/bin:/bin" },
    currentDirectory: workspace,
    self: { entryUrl: import.meta.url, command: null },
  });
  return { ...config, ...changes };
}
