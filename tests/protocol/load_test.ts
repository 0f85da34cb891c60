/** Many calls and hostile clients: bounded memory, honest errors, others unaffected. */

import { ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { HttpVise } from "../support/http_vise.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

/** Calls of the sequential run; `VISE_LOAD_CALLS=10000` makes it the long one. */
const CALLS = Number(Deno.env.get("VISE_LOAD_CALLS") ?? 2_000);
const LINUX = Deno.build.os === "linux";

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

Deno.test(
  { name: "thousands of calls over stdio leave the memory flat (Linux only: /proc)", ignore: !LINUX },
  async () => {
    using ws = new TempWorkspace();
    ws.write("a.txt", "some text\n".repeat(200));
    await using vise = new ViseProcess(ws.root);
    const call = () => vise.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } });
    for (let i = 0; i < CALLS / 4; i++) await call();
    const before = residentMegabytes(vise.child.pid as number);
    for (let i = 0; i < CALLS; i++) await call();
    const grown = residentMegabytes(vise.child.pid as number) - before;
    ok(grown < 32, `grew by ${grown.toFixed(1)} MB over ${CALLS} calls`);
  },
);

Deno.test("a flood of requests without reading the answers holds the input back instead of filling the memory", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  await vise.request("ping");
  vise.child.stdout.pause();
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
  for (let i = 0; i < 4_000; i++) vise.sendRaw(list);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  if (LINUX) ok(residentMegabytes(vise.child.pid as number) < 300);
  vise.child.stdout.resume();
  strictEqual((await vise.request("ping", undefined, "after")).error, undefined);
});

Deno.test("large answers on a slow pipe arrive whole and unmixed", async () => {
  using ws = new TempWorkspace();
  const text = Array.from({ length: 20_000 }, (_, i) => `e\u0301\u2028\\ "q" ${String(i).padStart(5, "0")}\n`).join("");
  ws.write("f.txt", text);
  await using vise = new ViseProcess(ws.root);
  await vise.request("ping");
  vise.child.stdout.pause();
  const reads = Array.from(
    { length: 8 },
    (_, i) =>
      vise.request(
        "tools/call",
        { name: "read_file", arguments: { path: "f.txt", max_bytes: 1_048_576 } },
        `read-${i}`,
      ),
  );
  const pings = Array.from({ length: 50 }, (_, i) => vise.request("ping", undefined, `ping-${i}`));
  const slow = setInterval(
    () => vise.child.stdout.isPaused() ? vise.child.stdout.resume() : vise.child.stdout.pause(),
    50,
  );
  const answers = await Promise.all(reads);
  await Promise.all(pings);
  clearInterval(slow);
  const lines = text.split("\n").slice(0, 2_000).map((line) => line + "\n").join("");
  for (const answer of answers) strictEqual(answer.result.structuredContent.content, lines);
});

Deno.test("half-open and slow connections do not keep others from being served", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  const { hostname, port } = new URL(vise.origin);
  const sockets: Socket[] = [];
  for (let i = 0; i < 100; i++) {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      );
    });
    socket.on("error", () => {});
    sockets.push(socket);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, id) => vise.post({ jsonrpc: "2.0", id, method: "ping" })),
  );
  strictEqual(answers.every(({ status }) => status === 200), true);
  for (const socket of sockets) socket.destroy();
});

Deno.test("many requests with one id in flight are each answered", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const before = vise.lines.length;
  vise.sendRaw('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"server_info"}}\n'.repeat(300));
  while (vise.lines.length - before < 300) await new Promise((resolve) => setTimeout(resolve, 20));
  strictEqual(vise.lines.slice(before).every((line) => line.startsWith('{"jsonrpc":"2.0","id":7,"result"')), true);
});
