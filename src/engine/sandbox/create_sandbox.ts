/** Connects the sandbox with what the environment room knows. */

import type { Config } from "../../config/config.ts";
import type { EnvironmentEngine } from "../environment/environment_engine.ts";
import type { Surroundings } from "./plan.ts";
import { Sandbox } from "./sandbox.ts";

/** The sandbox of a run. Asks `environment` at the first start, which creates the private directories. */
export function createSandbox(config: Config, environment: EnvironmentEngine): Sandbox {
  return new Sandbox(config, async (): Promise<Surroundings> => {
    environment.runtime.ensure();
    return {
      writableRoots: environment.runtime.writableRoots,
      toolchainRoots: environment.toolchains().flatMap(({ roots }) => roots),
      readableFiles: await environment.readableFiles(),
      launchPrefix: environment.runtime.sidePath("launch"),
    };
  });
}
