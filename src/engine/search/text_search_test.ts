import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { BatchResult, SearchArguments } from "./search_messages.ts";
import { type SearchFindings, TextSearch } from "./text_search.ts";

const ARGUMENTS = {} as SearchArguments;
const COUNTS = { hidden: 1, ignored: 2, unreadable: 0 };

interface Run {
  readonly search: TextSearch;
  readonly findings: () => SearchFindings | undefined;
  readonly ends: () => number;
}

function start(enoughLines: number): Run {
  let findings: SearchFindings | undefined;
  let ends = 0;
  const search = new TextSearch({
    id: 1,
    arguments: ARGUMENTS,
    file: null,
    enoughLines,
    started: () => {},
    ended: () => ends++,
    done: (value) => findings = value,
    failed: (fault) => {
      throw new Error(JSON.stringify(fault));
    },
    progressed: () => {},
  });
  return { search, findings: () => findings, ends: () => ends };
}

/** The result of the batch whose file `index` has `lines` matches. */
function resultOf(index: number, lines: number): BatchResult {
  const match = { line: 1, column: 1, preview: "", cutBy: null, before: [], after: [] };
  const matches = lines === 0 ? [] : [{ path: `f${index}`, lines: Array.from({ length: lines }, () => match) }];
  return { matches, binary: [], unreadable: 0, searched: 1 };
}

/** Walks all batches, hands them out, and answers them in the order that `picks` chooses. */
function answerAll({ search, findings }: Run, batches: readonly number[], picks: readonly number[]): void {
  const open: number[] = [];
  let walked = 0;
  for (let step = 0; findings() === undefined && step < 1_000; step++) {
    const request = search.nextFor(step % 2);
    if (request?.kind === "walk") {
      const some = batches.slice(walked, walked + 3).map((_, at) => [".", `f${walked + at}`]);
      walked += some.length;
      search.reply(0, { kind: "walked", task: 1, batches: some, isDone: walked === batches.length, counts: COUNTS });
    } else if (request?.kind === "scan") open.push(request.index);
    else if (open.length > 0) {
      const [index] = open.splice((picks[step % picks.length] as number) % open.length, 1) as [number];
      search.reply(1, { kind: "scanned", task: 1, index, result: resultOf(index, batches[index] as number) });
    }
  }
}

Deno.test("TextSearch gives the same page whatever the order in which threads answer, and ends once", () => {
  const batches = fc.array(fc.nat(3), { maxLength: 30 });
  const picks = fc.array(fc.nat(100), { minLength: 1, maxLength: 20 });
  fc.assert(fc.property(batches, picks, fc.integer({ min: 1, max: 20 }), (batches, picks, enough) => {
    const run = start(enough);
    answerAll(run, batches, picks);
    const found = run.findings();
    const paths = found?.matches.flatMap(({ path, lines }) => lines.map(() => path)) ?? [];
    const all = batches.flatMap((lines, index) => Array.from({ length: lines }, () => `f${index}`));
    deepStrictEqual(paths.slice(0, enough), all.slice(0, enough));
    strictEqual(found?.isComplete, all.length < enough);
    strictEqual(run.ends(), 1);
  }));
});

Deno.test("TextSearch out of time gives what was found and says that it is not all", () => {
  const run = start(100);
  run.search.nextFor(0);
  run.search.reply(0, { kind: "walked", task: 1, batches: [[".", "f0"], [".", "f1"]], isDone: false, counts: COUNTS });
  run.search.reply(1, { kind: "scanned", task: 1, index: 1, result: resultOf(1, 2) });
  run.search.timeOut();
  const found = run.findings();
  deepStrictEqual([found?.lines, found?.isComplete, found?.isOutOfTime], [2, false, true]);
  strictEqual(run.search.nextFor(0), null);
});
