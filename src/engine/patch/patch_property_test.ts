import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { Pacer } from "../../base/pacer.ts";
import { ToolError } from "../../base/tool_error.ts";
import { makePatch } from "../../../tests/support/make_patch.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { Workspace } from "../workspace/workspace.ts";
import { findSubstrings } from "./find_substrings.ts";
import { diffLines } from "./diff_lines.ts";
import { LineIndex } from "./line_index.ts";
import { PatchEngine } from "./patch_engine.ts";
import { formatText, parseText } from "./text_lines.ts";

/** A workspace in memory with one file that is patched over and over. */
class Bench implements Disposable {
  readonly workspace = new TempWorkspace("work", existsSync("/dev/shm") ? "/dev/shm" : undefined);
  readonly engine = new PatchEngine({
    workspace: new Workspace(this.workspace.root),
    config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(this.workspace.parent, "state") } },
  });

  /** Content after the patch, or the error's code. */
  async patched(
    content: string,
    patch: string,
  ): Promise<{ text: string; error: string | null; isAlreadyApplied: boolean }> {
    this.workspace.write("f.txt", content);
    return await this.again(patch);
  }

  async again(patch: string): Promise<{ text: string; error: string | null; isAlreadyApplied: boolean }> {
    try {
      const report = await this.engine.applyPatch(patch, { dryRun: false });
      return { text: this.workspace.read("f.txt"), error: null, isAlreadyApplied: report.isAlreadyApplied };
    } catch (fault) {
      if (!(fault instanceof ToolError)) throw fault;
      return { text: this.workspace.read("f.txt"), error: fault.code, isAlreadyApplied: false };
    }
  }

  [Symbol.dispose](): void {
    this.workspace[Symbol.dispose]();
  }
}

/** Edits that keep, drop, replace or add lines. */
const edits = fc.array(
  fc.record({
    at: fc.nat(60),
    kind: fc.constantFrom("drop", "replace", "insert"),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
);

type Edit = { at: number; kind: string; count: number };

function edited(lines: readonly string[], how: readonly Edit[], fresh: (n: number) => string): string[] {
  const result = [...lines];
  let made = 0;
  for (const { at, kind, count } of how) {
    // The element after the last LF stays, so that the file keeps its final newline.
    const place = at % result.length;
    const room = Math.max(0, Math.min(count, result.length - 1 - place));
    const added = kind === "drop" ? [] : Array.from({ length: kind === "replace" ? room : count }, () => fresh(made++));
    result.splice(place, kind === "insert" ? 0 : room, ...added);
  }
  return result;
}

const distinctFile = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { minLength: 1, maxLength: 60 }).map((
  lines,
) => [
  ...lines.map((line, i) => `${i} ${line.replaceAll(/[\n\r]/g, "")}`),
  "",
]);

Deno.test("a patch made from a diff gives the new file byte for byte, and a second time changes nothing", async () => {
  using bench = new Bench();
  await fc.assert(
    fc.asyncProperty(distinctFile, edits, fc.constantFrom("\n", "\r\n"), async (before, how, terminator) => {
      const after = edited(before, how, (n) => `new line ${n}`);
      fc.pre((await diffLines(before, after)).length > 0);
      const patch = await makePatch("f.txt", { before, after, contextLines: 3 });
      const expected = after.join(terminator);
      const first = await bench.patched(before.join(terminator), patch);
      deepStrictEqual(first, { text: expected, error: null, isAlreadyApplied: false });
      const second = await bench.again(patch);
      strictEqual(second.text, expected);
      ok(second.isAlreadyApplied || second.error === "PATCH_CONTEXT_NOT_FOUND", JSON.stringify(second));
    }),
    { numRuns: 300 },
  );
});

Deno.test("a patch of a file full of repetitions is right or ambiguous, never wrong", async () => {
  using bench = new Bench();
  const repetitive = fc.array(fc.constantFrom("a", "b", "", "}", "  a", "a "), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(repetitive, edits, fc.nat(3), async (lines, how, contextLines) => {
      const before = [...lines, ""];
      const after = edited(before, how, (n) => `new ${n}`);
      fc.pre((await diffLines(before, after)).length > 0);
      const patch = await makePatch("f.txt", { before, after, contextLines });
      const { text, error } = await bench.patched(before.join("\n"), patch);
      // Without context an addition has no place but the end.
      if (error === null && contextLines > 0) strictEqual(text, after.join("\n"));
      else if (error !== null) strictEqual(text, before.join("\n"));
    }),
    { numRuns: 300 },
  );
});

Deno.test("lines that a patch does not name keep every byte, mixed line endings included", async () => {
  using bench = new Bench();
  const line = fc.tuple(fc.string({ unit: "grapheme", maxLength: 6 }), fc.constantFrom("\n", "\r\n", "\r\r\n"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 3, maxLength: 20 }),
      fc.nat(100),
      fc.string({ unit: "binary", maxLength: 5 }),
      async (rows, at, tail) => {
        const rowsBytes = rows.map(([text, end], i) => `${i}${text.replaceAll(/[\r\n]/g, "")}${end}`);
        const last = tail.replaceAll(/[\r\n\ud800-\udfff]/g, "");
        const target = at % rows.length;
        const named = (rowsBytes[target] as string).replace(/\r?\n$/, "");
        const patch = `*** Begin Patch\n*** Update File: f.txt\n-${named}\n+changed\n*** End Patch\n`;
        const { text, error } = await bench.patched(rowsBytes.join("") + last, patch);
        const terminator = (rowsBytes[target] as string).endsWith("\r\n") ? "\r\n" : "\n";
        const expected = [...rowsBytes];
        expected[target] = `changed${terminator}`;
        deepStrictEqual({ text, error }, { text: expected.join("") + last, error: null });
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("text taken apart and put together again is the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "\ufeff", "\u2028", "é")), async (parts) => {
      const bytes = new TextEncoder().encode(parts.join(""));
      const pacer = new Pacer();
      deepStrictEqual(await formatText(await parseText(bytes, "f", { pacer }), { pacer }), bytes);
    }),
  );
});

Deno.test("UNSUPPORTED_ENCODING names the first byte that is not UTF-8", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom([0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf0, 0x9f, 0x41]),
      fc.string({ unit: "grapheme" }),
      async (head, broken, tail) => {
        const start = new TextEncoder().encode(head);
        // A letter behind it keeps the tail from completing the broken sequence.
        const bytes = new Uint8Array([...start, ...broken, ...new TextEncoder().encode(`z${tail}`)]);
        try {
          await parseText(bytes, "f", { pacer: new Pacer() });
          throw new Error("accepted");
        } catch (fault) {
          ok(fault instanceof ToolError, String(fault));
          strictEqual(fault.details["byte_offset"], start.length);
        }
      },
    ),
  );
});

Deno.test("diffLines() describes how to turn one list into the other", async () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(lines, lines, async (a, b) => {
      const rebuilt: string[] = [];
      let at = 0;
      for (const change of await diffLines(a, b)) {
        ok(change.aStart >= at);
        rebuilt.push(...a.slice(at, change.aStart));
        strictEqual(rebuilt.length, change.bStart);
        rebuilt.push(...b.slice(change.bStart, change.bEnd));
        at = change.aEnd;
      }
      deepStrictEqual([...rebuilt, ...a.slice(at)], b);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("LineIndex.find() agrees with a search line by line", async () => {
  const line = fc.constantFrom("a", "b", "a ", " b", "");
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 60 }),
      fc.array(line, { minLength: 1, maxLength: 5 }),
      async (file, sequence) => {
        const lines = file.join("\n").split("\n");
        const index = new LineIndex(lines, { wanted: new Set(sequence), pacer: new Pacer() });
        for (
          const [comparison, normalize] of [["exact", (l: string) => l], ["indent", (l: string) => l.trim()]] as const
        ) {
          const expected = lines.map((_, i) => i).filter((i) =>
            i + sequence.length <= lines.length &&
            sequence.every((l, k) => normalize(lines[i + k] as string) === normalize(l))
          );
          deepStrictEqual([...await index.find(sequence, comparison)], expected);
          deepStrictEqual(
            lines.map((_, i) => i).filter((start) => index.standsAt(sequence, { start, comparison })),
            expected,
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("findSubstrings() agrees with includes() for few and many needles", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  const needle = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 30 }),
      fc.uniqueArray(needle, { maxLength: 12 }),
      async (lines, needles) => {
        const expected = needles.map((one) => lines.flatMap((line, i) => line.includes(one) ? [i] : []));
        deepStrictEqual(await findSubstrings(lines, needles, { pacer: new Pacer() }), expected);
      },
    ),
    { numRuns: 500 },
  );
});
