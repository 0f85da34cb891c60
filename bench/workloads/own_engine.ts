/** The command engine of Vise inside the benchmark's own process: the native call without any server. */

import { mkdirSync, realpathSync } from "node:fs";
import { readFlags } from "../../src/cli/read_flags.ts";
import { resolveConfig } from "../../src/config/resolve_config.ts";
import { makeEngines } from "../../src/engine/make_engines.ts";
import type { RunEngine } from "../../src/engine/run/run_engine.ts";
import type { StartRequest } from "../../src/engine/run/run_request.ts";

/** The engine with a ready request to change; disposing ends its commands. */
export interface OwnEngine extends AsyncDisposable {
  readonly run: RunEngine;
  readonly request: (over: Partial<StartRequest>) => StartRequest;
}

/** An engine in trusted mode on a directory of its own. */
export async function openOwnEngine(directory: string): Promise<OwnEngine> {
  mkdirSync(directory, { recursive: true });
  const root = realpathSync(directory);
  const { raw } = readFlags(["--workspace", root, "--permission-mode", "trusted"], {});
  const config = resolveConfig(raw, {
    environment: Deno.env.toObject(),
    places: { canonical: (path) => path, isDirectory: () => true },
    currentDirectory: root,
    self: { entryUrl: "", command: null },
  });
  const engines = makeEngines(config, console.error);
  return {
    run: await engines.run(),
    request: (over) => ({ ...REQUEST, cwd: root, hasTerminal: (over.terminal ?? null) !== null, ...over }),
    [Symbol.asyncDispose]: () => engines.shutDown(),
  };
}

const REQUEST: StartRequest = {
  cmd: "",
  workdir: ".",
  cwd: "",
  env: {},
  hasTerminal: false,
  principal: "",
  canAsk: false,
  deadlineMs: 120_000,
  yieldMs: 30_000,
  maxOutputBytes: 32_768,
  stdin: "",
  terminal: null,
  keepStdinOpen: false,
  signal: new AbortController().signal,
};
