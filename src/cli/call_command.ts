/** `vise call`: one tool call from a shell or a script, by the same code path as the server. */

import { compose } from "../serve.ts";
import { resolveConfig } from "../config/resolve_config.ts";
import { ConfigError } from "../config/setting.ts";
import { nearestName } from "../base/nearest_name.ts";
import type { CliScene } from "./command.ts";
import { joinAnswers } from "./join_answers.ts";
import { readFlags } from "./read_flags.ts";

/** The longest that one poll may wait (contract 3.10). */
const POLL_MS = 30_000;

/** Prints the text of the result, or with `--json` one structured value. Exit code 1 for a failed call. */
export async function callCommand(scene: CliScene): Promise<number> {
  const asJson = scene.args.includes("--json");
  const { raw, rest } = readFlags(scene.args.filter((arg) => arg !== "--json"), scene.environment);
  const [tool, argument, stray] = rest;
  if (tool === undefined) throw new ConfigError("vise call needs the name of a tool: vise call TOOL [JSON|-]");
  if (stray !== undefined) {
    throw new ConfigError(`unexpected argument ${stray}: the arguments of the tool are one JSON object`);
  }
  const args = parseArguments(argument === "-" ? await scene.readInput() : argument ?? "{}");
  // The value is what --json prints, and what tells that a command still runs.
  const config = resolveConfig({ ...raw, stdio: true, structured: true }, scene);
  const { catalog, shutDown } = compose(config, (line) => void scene.err(`vise: ${line}\n`));
  if (!catalog.names().includes(tool)) {
    const nearest = nearestName(tool, catalog.names());
    throw new ConfigError(
      `unknown tool ${tool}${nearest === null ? "" : `; did you mean ${nearest}?`} (vise tools lists them)`,
    );
  }
  const stop = new AbortController();
  scene.onSignal(async () => {
    stop.abort();
    await shutDown();
  });
  try {
    const call = (name: string, callArgs: Record<string, unknown>) =>
      catalog.call(name, callArgs, { signal: stop.signal, principal: "", onUnanswered: () => {} });
    let result = await call(tool, args);
    const values = [result.structuredContent ?? {}];
    await printText(result);
    // A script wants the end of the command, not a handle to a server that is about to go.
    for (
      let id = runningCommand(result.structuredContent);
      id !== null;
      id = runningCommand(result.structuredContent)
    ) {
      result = await call("write_stdin", { command_id: id, chars: "", yield_time_ms: POLL_MS });
      values.push(result.structuredContent ?? {});
      await printText(result);
    }
    if (asJson) await scene.out(JSON.stringify(joinAnswers(values)) + "\n");
    return result.isError ? 1 : 0;
  } finally {
    await shutDown();
  }

  async function printText(result: Awaited<ReturnType<typeof catalog.call>>): Promise<void> {
    if (asJson) return;
    for (const block of result.content) {
      if (block["type"] === "text") await scene.out(endWithNewline(String(block["text"])));
    }
  }
}

function parseArguments(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (fault) {
    throw new ConfigError(
      `the arguments are not valid JSON: ${fault instanceof Error ? fault.message : String(fault)}`,
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError("the arguments must be one JSON object");
  }
  return value as Record<string, unknown>;
}

function runningCommand(value: Record<string, unknown> | undefined): string | null {
  const id = value?.["command_id"];
  return value?.["status"] === "running" && typeof id === "string" ? id : null;
}

function endWithNewline(text: string): string {
  return text.endsWith("\n") ? text : text + "\n";
}
