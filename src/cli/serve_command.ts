/** `vise serve`: one workspace for MCP clients until they leave. */

import { serve } from "../serve.ts";
import type { CliScene } from "./command.ts";
import { loadConfig } from "./load_config.ts";

/** Resolves to exit code 0 when the last client is gone. */
export async function serveCommand(scene: CliScene): Promise<number> {
  const config = loadConfig(scene);
  await serve(config, { log: (line) => void scene.err(`vise: ${line}\n`), onSignal: scene.onSignal });
  return 0;
}
