import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const ASK = {
  tool_name: "exec_command",
  permission: "network",
  reason: "install packages",
  arguments: { cmd: "npm ci" },
};

interface Question {
  readonly id: string;
  readonly params: { message: string; requestedSchema: unknown };
}

/** Starts the server as a client that can ask its user. */
async function askingClient(workspace: TempWorkspace): Promise<ViseProcess> {
  const vise = new ViseProcess(workspace.root);
  await vise.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "test", version: "1" },
  });
  vise.sendRaw(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) + "\n");
  return vise;
}

async function nextQuestion(vise: ViseProcess, known: number): Promise<Question> {
  for (;;) {
    const questions = vise.lines.map((line) => JSON.parse(line)).filter(({ method }) =>
      method === "elicitation/create"
    );
    if (questions.length > known) return questions[known];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function askAndAnswer(vise: ViseProcess, action: string, known = 0) {
  const answer = vise.request("tools/call", { name: "request_permissions", arguments: ASK });
  const question = await nextQuestion(vise, known);
  vise.sendRaw(JSON.stringify({ jsonrpc: "2.0", id: question.id, result: { action, content: {} } }) + "\n");
  return { question, result: (await answer).result };
}

Deno.test("request_permissions asks the user of a client with elicitation and reports the grant", async () => {
  using workspace = new TempWorkspace();
  await using vise = await askingClient(workspace);
  const { question, result } = await askAndAnswer(vise, "accept");
  ok(question.params.message.includes("> npm ci"));
  deepStrictEqual(question.params.requestedSchema, { type: "object", properties: {} });
  const value = result.structuredContent;
  deepStrictEqual([value.ok, value.status, value.constraints.command], [true, "granted", "npm ci"]);
  ok(Date.parse(value.expires_at) > Date.now() && /^[\w-]{16}$/.test(value.grant_id));
  ok(result.content[0].text.startsWith("Permission request: granted (once for the named command, until "));
});

Deno.test("request_permissions reports a refusal of the user as one", async () => {
  using workspace = new TempWorkspace();
  await using vise = await askingClient(workspace);
  for (const [known, [action, status]] of [["decline", "declined"], ["cancel", "cancelled"]].entries()) {
    const { result } = await askAndAnswer(vise, action as string, known);
    const value = result.structuredContent;
    deepStrictEqual([value.ok, value.error.code, value.status, value.grant_id], [
      false,
      "PERMISSION_REQUIRED",
      status,
      null,
    ]);
  }
});

Deno.test("request_permissions says that a client without elicitation cannot ask", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const answer = await vise.request("tools/call", { name: "request_permissions", arguments: ASK });
  const value = answer.result.structuredContent;
  deepStrictEqual([value.error.code, value.status, value.grant_id, value.expires_at], [
    "ELICITATION_UNSUPPORTED",
    "unsupported",
    null,
    null,
  ]);
  deepStrictEqual(value.error.details.requested, {
    tool_name: "exec_command",
    permission: "network",
    reason: "install packages",
    command: "npm ci",
    scope: "once",
    ttl_seconds: 300,
  });
});

Deno.test("request_permissions grants nothing in dangerous mode, where everything is allowed", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, { flags: ["--permission-mode", "dangerous"] });
  const answer = await vise.request("tools/call", { name: "request_permissions", arguments: ASK });
  const value = answer.result.structuredContent;
  deepStrictEqual([value.status, value.grant_id, value.expires_at, value.warnings.length], [
    "granted",
    "dangerously-skip-all-permissions",
    null,
    1,
  ]);
  strictEqual(value.constraints.mode, "dangerously_skip_all_permissions");
});

Deno.test("request_permissions asks by a second round in the stateless era", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const call = {
    name: "request_permissions",
    arguments: ASK,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    },
  };
  const first = (await vise.request("tools/call", call)).result;
  strictEqual(first.resultType, "input_required");
  const [key] = Object.keys(first.inputRequests) as [string];
  const second = {
    ...call,
    requestState: first.requestState,
    inputResponses: { [key]: { action: "accept", content: {} } },
  };
  strictEqual((await vise.request("tools/call", second)).result.structuredContent.status, "granted");
  ok("error" in await vise.request("tools/call", second), "the same state opens nothing a second time");
  deepStrictEqual(vise.stderr.split("\n").filter((line) => /fault|error/i.test(line)), []);
});

Deno.test("the end of input answers an open question, so that the server does not wait for a person", async () => {
  using workspace = new TempWorkspace();
  const vise = new ViseProcess(workspace.root);
  await vise.request("initialize", { protocolVersion: "2025-11-25", capabilities: { elicitation: {} } });
  const asked = new Promise<void>((resolve) => vise.onLine((line) => line.includes("elicitation/create") && resolve()));
  const answered = vise.request("tools/call", { name: "request_permissions", arguments: ASK });
  await asked;
  const ended = vise.close();
  strictEqual((await answered).result.structuredContent.error.code, "PERMISSION_REQUIRED");
  deepStrictEqual(await ended, { code: 0, signal: null });
});

Deno.test("request_permissions asks nobody for what is allowed, and names a command that is none", async () => {
  using workspace = new TempWorkspace();
  const vise = await askingClient(workspace);
  await using _ = vise;
  const long = await vise.value("request_permissions", { ...ASK, permission: "long_timeout" });
  deepStrictEqual([long.status, long.grant_id, long.expires_at], ["not_required", null, null]);
  ok(/timeout_ms/.test(long.warnings[0]), long.warnings[0]);
  const wrong = await vise.failure("request_permissions", { ...ASK, arguments: { cmd: 7 } });
  deepStrictEqual([wrong.code, wrong.details.argument], ["INVALID_ARGUMENT", "arguments.cmd"]);
  strictEqual(vise.lines.some((line) => line.includes("elicitation/create")), false);
});

Deno.test("a client that can only open addresses is not asked by form", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const capabilities = { elicitation: { url: {} } };
  await vise.request("initialize", { protocolVersion: "2025-11-25", capabilities });
  strictEqual((await vise.failure("request_permissions", ASK)).code, "ELICITATION_UNSUPPORTED");
});
