/**
 * `deno run -A bench/read_bench.ts`: reading against sha256sum, side by side, medians of alternating runs.
 *
 * Late page: 50 lines near the end of a 20 MB file, in this process. Small: 100 bytes over stdio, the whole way.
 */

import { Workspace } from "../src/engine/workspace/workspace.ts";
import { readLines } from "../src/engine/reading/read_lines.ts";
import { TempWorkspace } from "../tests/support/temp_workspace.ts";
import { ViseProcess } from "../tests/support/vise_process.ts";

const RUNS = 21;
const LINES = 500_000;

using place = new TempWorkspace();
place.write("big.txt", Array.from({ length: LINES }, (_, i) => `line ${i} ${"x".repeat(28)}\n`).join(""));
place.write("small.txt", "one line of text\n".repeat(6));

const workspace = new Workspace(place.root);
const { signal } = new AbortController();
const late = { startLine: LINES - 100, endLine: LINES - 51, maxBytes: 65_536, lineOffset: 0, signal };
const sha256sum = new Deno.Command("sha256sum", { args: [place.path("big.txt")], stdout: "null" });
const rows = { late: [] as number[], sha256sum: [] as number[], small: [] as number[] };
await using server = new ViseProcess(place.root);
await server.value("read_file", { path: "small.txt" });
for (let run = 0; run < RUNS; run++) {
  rows.late.push(await timed(() => readLines(workspace, "big.txt", late)));
  rows.sha256sum.push(await timed(() => sha256sum.output()));
  for (let call = 0; call < 20; call++) {
    rows.small.push(
      await timed(() => server.request("tools/call", { name: "read_file", arguments: { path: "small.txt" } })),
    );
  }
}
workspace.close();
console.log(`late page of 20 MB   ${median(rows.late).toFixed(1)} ms`);
console.log(`sha256sum            ${median(rows.sha256sum).toFixed(1)} ms`);
console.log(`ratio                ${(median(rows.late) / median(rows.sha256sum)).toFixed(2)} (bar 1.2)`);
console.log(`small read by stdio  ${median(rows.small).toFixed(2)} ms (bar 1)`);

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
