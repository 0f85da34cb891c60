/**
 * `deno task demo`: an agent's repair of a small repository, from the failing test to the green one.
 *
 * The server runs as a child, driven by the official SDK client; no model and no network. Every step that an agent would
 * take is really made; the demo fails when a step does not do what it says.
 */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeBrokenProject } from "./broken_project.ts";
import { type Facts, type StepResult, STEPS } from "./steps.ts";
import { printCall, printEnd, printResult, printTitle } from "./transcript.ts";

const workspace = mkdtempSync(join(tmpdir(), "vise-demo-"));
let ok = false;
try {
  makeBrokenProject(workspace);
  ok = await repair(workspace);
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
Deno.exit(ok ? 0 : 1);

async function repair(workspace: string): Promise<boolean> {
  const startedAt = performance.now();
  const client = new Client({ name: "vise-demo", version: "1.0.0" });
  const { command, args } = serverProgram();
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...args, "serve", "--workspace", workspace],
      stderr: "ignore",
      env: environment(),
    }),
  );
  const info = client.getServerVersion();
  printTitle(`Connected to ${info?.name} ${info?.version} in ${(performance.now() - startedAt).toFixed(0)} ms`);
  const facts: Facts = {};
  for (const [index, step] of STEPS.entries()) {
    const args = typeof step.args === "function" ? step.args(facts) : step.args;
    printCall(index + 1, { why: step.why, tool: step.tool, args });
    const before = performance.now();
    const answer = await client.callTool({ name: step.tool, arguments: args }) as {
      content: { type: string; text?: string }[];
      structuredContent: unknown;
      isError?: boolean;
    };
    const result: StepResult = {
      text: answer.content.map((block) => block.text ?? "").join(""),
      value: answer.structuredContent,
      isError: answer.isError === true,
    };
    printResult({ text: result.text, isError: result.isError, elapsedMs: performance.now() - before });
    if (!step.expect(result, facts)) {
      console.error(`Step ${index + 1} did not do what it should: ${JSON.stringify(result.value)}`);
      await client.close();
      return false;
    }
  }
  await client.close();
  printEnd({ calls: STEPS.length, elapsedMs: performance.now() - startedAt, ok: true });
  return true;
}

/** The executable named by `VISE_TEST_EXECUTABLE`, else this checkout. */
function serverProgram(): { command: string; args: string[] } {
  const executable = Deno.env.get("VISE_TEST_EXECUTABLE");
  if (executable !== undefined && executable !== "") return { command: executable, args: [] };
  const entry = new URL("../main.ts", import.meta.url).pathname;
  return { command: Deno.execPath(), args: ["run", "--quiet", "-A", entry] };
}

function environment(): Record<string, string> {
  const { PATH = "", HOME = "", DENO_DIR } = Deno.env.toObject();
  return { PATH, HOME, ...(DENO_DIR === undefined ? {} : { DENO_DIR }) };
}
