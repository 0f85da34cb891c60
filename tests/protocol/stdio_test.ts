/** The stdio transport against raw bytes: whatever a client writes, the next well-formed message is answered. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { type Answer, ViseProcess } from "../support/vise_process.ts";

const ENCODER = new TextEncoder();

/** Sends each text, then a ping; returns every line that arrived up to the ping's answer. */
async function exchange(vise: ViseProcess, bytes: string | Uint8Array, ping: string): Promise<Answer[]> {
  const before = vise.lines.length;
  vise.sendRaw(bytes);
  await vise.request("ping", undefined, ping);
  const lines = vise.lines.slice(before).map((line) => JSON.parse(line) as Answer);
  return lines.filter((answer) => answer.id !== ping);
}

Deno.test("every malformed line gets one error with id null and the next request is served", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const deep = "[".repeat(100_000) + "\n";
  const nested = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(1_001)}${"]".repeat(1_001)}}}\n`;
  const table: [string | Uint8Array, number][] = [
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list",\n', -32700],
    ["hello there\n", -32700],
    [new Uint8Array([0xff, 0xfe, 0xfa, 0x0a]), -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}\n', -32700],
    ['"str"\n', -32600],
    ["17\n", -32600],
    ["{}\n", -32600],
    ["[]\n", -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600],
    [deep, -32700],
    [nested, -32700],
  ];
  for (const [index, [bytes, code]] of table.entries()) {
    const answers = await exchange(vise, bytes, `p${index}`);
    deepStrictEqual(answers.map((answer) => [answer.id, answer.error?.code]), [[null, code]], `line ${index}`);
  }
});

Deno.test("blank lines are ignored; CR LF and a byte order mark are served", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  deepStrictEqual(await exchange(vise, "\n   \n\t\n\r\n", "a"), []);
  const served = await exchange(vise, '{"jsonrpc":"2.0","id":5,"method":"ping"}\r\n', "b");
  deepStrictEqual(served, [{ jsonrpc: "2.0", id: 5, result: {} } as Answer]);
  const bom = await exchange(vise, '\ufeff{"jsonrpc":"2.0","id":6,"method":"ping"}\n', "c");
  deepStrictEqual(bom, [{ jsonrpc: "2.0", id: 6, result: {} } as Answer]);
});

Deno.test("messages split at any byte and several in one write are served alike", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const message = ENCODER.encode('{"jsonrpc":"2.0","id":"é€😀","method":"ping"}\n');
  for (const cut of [1, 20, 27, 28, 30, 34, message.length - 1]) {
    const answered = vise.answerTo('"é€😀"');
    vise.sendRaw(message.subarray(0, cut));
    await new Promise((resolve) => setTimeout(resolve, 5));
    vise.sendRaw(message.subarray(cut));
    deepStrictEqual((await answered).result, {});
  }
  const before = vise.lines.length;
  vise.sendRaw(Array.from({ length: 50 }, (_, i) => `{"jsonrpc":"2.0","id":${i},"method":"ping"}\n`).join(""));
  await vise.request("ping", undefined, "end");
  strictEqual(vise.lines.length - before, 51);
});

Deno.test("ids come back with the same JSON text; what is no id is refused", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  for (const id of ["0", '""', '"0"', '"a-1"', "-5", "9007199254740993", '"\\u0061\\n"', '"x\\"y"']) {
    const before = vise.lines.length;
    vise.sendRaw(`{"method":"ping","params":{"id":"decoy"},"jsonrpc":"2.0","id": ${id} }\n`);
    await vise.request("ping", undefined, `after ${id}`);
    strictEqual(vise.lines[before], `{"jsonrpc":"2.0","id":${id},"result":{}}`);
  }
  for (const id of ["1.5", "true", '{"x":1}', "1e999", "[1]"]) {
    const answers = await exchange(vise, `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`, `bad ${id}`);
    deepStrictEqual(answers.map((answer) => [answer.id, answer.error?.code]), [[null, -32600]], id);
  }
  deepStrictEqual(await exchange(vise, '{"jsonrpc":"2.0","id":null,"method":"ping"}\n', "null"), []);
  const twice = await exchange(vise, '{"jsonrpc":"2.0","id":7,"method":"ping"}\n'.repeat(2), "twice");
  strictEqual(twice.length, 2);
});

Deno.test("notifications are never answered, known or not", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const notifications = [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{"jsonrpc":"2.0","method":"notifications/no-such","params":[1]}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    '{"jsonrpc":"2.0","method":"tools/list"}',
    '{"jsonrpc":"2.0","id":"stray","result":{}}',
    '{"jsonrpc":"2.0","id":"stray","error":{"code":1,"message":"x"}}',
  ];
  deepStrictEqual(await exchange(vise, notifications.join("\n") + "\n", "n"), []);
  const withId = await exchange(
    vise,
    '{"jsonrpc":"2.0","id":4,"method":"notifications/cancelled","params":{"requestId":1}}\n',
    "c",
  );
  deepStrictEqual(withId.map((answer) => [answer.id, answer.error?.code]), [[4, -32601]]);
});

Deno.test("a line above 16 MiB is refused in constant memory and the connection lives", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const megabyte = "x".repeat(1 << 20);
  const before = vise.lines.length;
  for (let i = 0; i < 40; i++) vise.sendRaw(megabyte);
  vise.sendRaw("\n");
  await vise.request("ping", undefined, "after");
  const [refusal, ...rest] = vise.lines.slice(before).map((line) => JSON.parse(line) as Answer);
  strictEqual(rest.length, 1);
  strictEqual(refusal?.id, null);
  strictEqual(refusal?.error?.code, -32600);
  deepStrictEqual(refusal?.error?.data, { max_bytes: 16_777_216 });
});

Deno.test("both eras are served on one connection, each with its own result shape", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const first = await vise.request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  });
  strictEqual(first.result.protocolVersion, "2025-06-18");
  deepStrictEqual(first.result.capabilities, { tools: { listChanged: false } });
  deepStrictEqual(Object.keys(first.result).sort(), ["capabilities", "instructions", "protocolVersion", "serverInfo"]);
  strictEqual(
    (await vise.request("initialize", { protocolVersion: "1999-01-01" })).result.protocolVersion,
    "2025-11-25",
  );
  deepStrictEqual(Object.keys((await vise.request("tools/list")).result), ["tools"]);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const discovered = (await vise.request("server/discover", { _meta })).result;
  deepStrictEqual(discovered.supportedVersions, ["2026-07-28"]);
  deepStrictEqual([discovered.resultType, discovered.ttlMs, discovered.cacheScope], ["complete", 0, "private"]);
  const listed = (await vise.request("tools/list", { _meta })).result;
  deepStrictEqual([listed.resultType, listed.ttlMs, listed.cacheScope], ["complete", 0, "private"]);
  strictEqual(listed._meta["io.modelcontextprotocol/serverInfo"].name, "vise");
  for (const method of ["ping", "initialize", "no/such"]) {
    strictEqual((await vise.request(method, { _meta })).error?.code, -32601, method);
  }
  const wrong =
    (await vise.request("tools/list", { _meta: { ..._meta, "io.modelcontextprotocol/protocolVersion": "2030-01-01" } }))
      .error;
  strictEqual(wrong?.code, -32022);
  deepStrictEqual(wrong?.data, { supported: ["2026-07-28"], requested: "2030-01-01", received: "2030-01-01" });
  strictEqual((await vise.request("server/discover", {})).error?.code, -32602);
});

Deno.test("an unknown tool and malformed call parameters are protocol errors that help", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const unknown = (await vise.request("tools/call", { name: "readfile", arguments: {} })).error;
  strictEqual(unknown?.code, -32602);
  strictEqual(unknown?.message, "Unknown tool: readfile");
  deepStrictEqual([unknown?.data?.["reason"], unknown?.data?.["nearest"]], ["unknown_tool", "read_file"]);
  strictEqual((await vise.request("tools/call", { name: 7 })).error?.code, -32602);
  strictEqual((await vise.request("tools/call", { name: "server_info", arguments: [1] })).error?.code, -32602);
  for (const nothing of [undefined, null, {}, []]) {
    const answer = await vise.request("tools/call", { name: "server_info", arguments: nothing });
    strictEqual(answer.error, undefined);
  }
});

Deno.test("the end of input ends the server with code 0, also in the middle of a message", async () => {
  using ws = new TempWorkspace();
  const vise = new ViseProcess(ws.root);
  await vise.request("ping");
  vise.sendRaw('{"jsonrpc":"2.0","id":8,"meth');
  const { code } = await vise.close();
  strictEqual(code, 0);
  match(vise.lines.at(-1) ?? "", /"code":-32700/);
});

Deno.test("a whole message without its newline is still answered at the end of input", async () => {
  using ws = new TempWorkspace();
  const vise = new ViseProcess(ws.root);
  vise.sendRaw('{"jsonrpc":"2.0","id":8,"method":"ping"}');
  strictEqual((await vise.close()).code, 0);
  deepStrictEqual(vise.lines, ['{"jsonrpc":"2.0","id":8,"result":{}}']);
});

Deno.test("a client that closes its end of the output lets the server end quietly", async () => {
  using ws = new TempWorkspace();
  const vise = new ViseProcess(ws.root);
  await vise.request("ping");
  vise.child.stdout.destroy();
  for (let i = 0; i < 200; i++) vise.sendRaw(`{"jsonrpc":"2.0","id":${i},"method":"tools/list"}\n`);
  const { code } = await vise.exited;
  strictEqual(code, 0);
  ok(!/Error|at file/.test(vise.stderr), vise.stderr);
});

Deno.test("a cancellation finds its request by any spelling of its id", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root, { flags: ["--permission-mode", "trusted"] });
  const pairs = [["9007199254740993", "9007199254740993"], ['"\\u0061b"', '"ab"'], ["-0", "0"], ['"7"', '"7"']];
  for (const [index, [id]] of pairs.entries()) {
    const args = { cmd: `touch started${index}; sleep 60`, yield_time_ms: 30_000 };
    const params = JSON.stringify({ name: "exec_command", arguments: args });
    vise.sendRaw(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
  }
  // Its double is that of the first id: it names another request all the same.
  vise.sendRaw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740992}}\n`);
  while (!pairs.every((_, index) => ws.exists(`started${index}`))) await new Promise((go) => setTimeout(go, 20));
  const running = async () =>
    (await vise.value("server_info")).commands.filter((one: { status: string }) => one.status === "running").length;
  strictEqual(await running(), pairs.length);
  for (const [, requestId] of pairs) {
    vise.sendRaw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${requestId}}}\n`);
  }
  while (await running() > 0) await new Promise((go) => setTimeout(go, 20));
});
