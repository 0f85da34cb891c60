/** Raw garbage at both transports: no crash, no hang, and the well-formed message that follows is answered right. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { connect } from "node:net";
import fc from "fast-check";
import { HttpVise } from "../support/http_vise.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

/** Seconds of fuzzing in each test; `VISE_FUZZ_SECONDS` makes it a long run. */
const SECONDS = Number(Deno.env.get("VISE_FUZZ_SECONDS") ?? 4);

/** Bytes without a line end, so that each piece is one line. */
const line = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => bytes.filter((byte) => byte !== 10)),
  fc.json().map((text) => new TextEncoder().encode(text.replaceAll("\n", " "))),
  fc.record({
    jsonrpc: fc.constantFrom<unknown>("2.0", "1.0", 2, null),
    id: fc.constantFrom<unknown>(1, "a", null, 1.5, {}, [], -0, 2 ** 60),
    method: fc.constantFrom<unknown>(
      "ping",
      "tools/list",
      "tools/call",
      "initialize",
      "server/discover",
      "",
      7,
      "notifications/cancelled",
    ),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record({
        name: fc.constantFrom<unknown>("read_file", "nope", 1),
        arguments: fc.jsonValue(),
        _meta: fc.jsonValue(),
      }),
    ),
  }, { requiredKeys: [] }).map((message) => new TextEncoder().encode(JSON.stringify(message))),
);

function seeded(): { seed: number; pieces: Uint8Array[][] } {
  const seed = Number(Deno.env.get("VISE_FUZZ_SEED") ?? Math.floor(Math.random() * 2 ** 31));
  return { seed, pieces: fc.sample(fc.array(line, { minLength: 1, maxLength: 30 }), { seed, numRuns: 400 }) };
}

Deno.test("garbage over stdio never stops the server or spoils the next answer", async () => {
  using ws = new TempWorkspace();
  ws.write("a.txt", "fine\n");
  await using vise = new ViseProcess(ws.root);
  const { seed, pieces } = seeded();
  const end = performance.now() + SECONDS * 1_000;
  for (const [round, lines] of pieces.entries()) {
    if (performance.now() > end) break;
    for (const bytes of lines) vise.sendRaw(new Uint8Array([...bytes, 10]));
    const answer = await vise.request(
      "tools/call",
      { name: "read_file", arguments: { path: "a.txt" } },
      `round-${round}`,
    );
    strictEqual(answer.result?.structuredContent?.content, "fine\n", `seed ${seed}, round ${round}`);
  }
  for (const text of vise.lines) strictEqual(JSON.parse(text).jsonrpc, "2.0", `seed ${seed}`);
});

Deno.test("garbage over HTTP never stops the server or spoils the next answer", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  const { hostname, port } = new URL(vise.origin);
  const { seed, pieces } = seeded();
  const end = performance.now() + SECONDS * 1_000;
  for (const lines of pieces) {
    if (performance.now() > end) break;
    await Promise.all(
      lines.slice(0, 6).map(async (bytes, index) => {
        if (index % 2 === 0) await rawBytes(hostname, { port: Number(port), bytes });
        else await vise.post(new TextDecoder().decode(bytes));
      }),
    );
    const { status, body } = await vise.post({ jsonrpc: "2.0", id: "after", method: "ping" });
    deepStrictEqual([status, body], [200, { jsonrpc: "2.0", id: "after", result: {} }], `seed ${seed}`);
  }
});

/** Sends bytes that are no HTTP and waits until the other side is done with them. */
function rawBytes(host: string, { port, bytes }: { port: number; bytes: Uint8Array }): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.end(bytes));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on("data", () => {});
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}
