import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { decodeUtf8, encodeUtf8, utf8Length } from "../../base/utf8.ts";
import type { SourceFile } from "../../platform/source_reader.ts";
import { FileScanner, type LineMatch, type ScanOptions, type ScanResult } from "./file_scanner.ts";
import { UnicodeFacts } from "./regex/code_points.ts";
import { ScanKernel } from "./scan_kernel.ts";
import { SCAN_KERNEL_SOURCE_SHA256 } from "./scan_kernel_code.ts";
import { TextMatcher } from "./text_matcher.ts";

const PAGE = 4_096;
const unicode = new UnicodeFacts();
const OPTIONS: ScanOptions = { contextLines: 0, maxPreviewBytes: 512, limitLines: 1_000 };

/** A file that gives at most `pages` pages at a time, as some file systems do. */
function fileOf(content: Uint8Array, pages: number): SourceFile {
  let at = 0;
  return {
    read(into) {
      const part = content.subarray(at, at + Math.min(pages * PAGE, into.length));
      into.set(part);
      at += part.length;
      return part.length;
    },
    close() {},
  };
}

function scan(
  content: string | Uint8Array,
  query: string,
  given: Partial<ScanOptions> & { pages?: number } = {},
): ScanResult {
  const kernel = new ScanKernel();
  const search = { query, isRegex: true, isCaseSensitive: true };
  const matcher = new TextMatcher(kernel, search, { unicode, shouldStop: () => false });
  const bytes = typeof content === "string" ? encodeUtf8(content) : content;
  return new FileScanner(kernel).scan(fileOf(bytes, given.pages ?? 1_000_000), matcher, { ...OPTIONS, ...given });
}

Deno.test("FileScanner finds the same lines, columns and context whether a file comes whole or page by page", () => {
  const word = fc.constantFrom("x", "needle", "yy", "é", "a needle of hay", " ".repeat(300), "");
  const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(" "));
  const content = fc.array(line, { minLength: 1, maxLength: 120 }).map((lines) => `${lines.join("\r\n")}\n`.repeat(3));
  fc.assert(
    fc.property(
      content,
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 20 }),
      (content, contextLines, limitLines) => {
        const options = { contextLines, limitLines };
        const whole = scan(content, "needle", options) as readonly LineMatch[];
        deepStrictEqual(scan(content, "needle", { ...options, pages: 1 }), whole);
        const lines = content.split("\n").slice(0, -1).map((text) => text.endsWith("\r") ? text.slice(0, -1) : text);
        const hits = lines.flatMap((text, index) => text.includes("needle") ? [index] : []).slice(0, limitLines);
        deepStrictEqual(whole.map((match) => match.line), hits.map((index) => index + 1));
        const cut = (text: string) => scan(text, "^", { limitLines: 1 })?.[0]?.preview ?? "";
        deepStrictEqual(
          whole.map((match) => match.before),
          hits.map((index) => lines.slice(Math.max(0, index - contextLines), index).map(cut)),
        );
        deepStrictEqual(
          whole.map((match) => match.after),
          hits.map((index) => lines.slice(index + 1, index + 1 + contextLines).map(cut)),
        );
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("FileScanner shows a match far inside a long line, cut on both sides, with its true column", () => {
  const [match] = scan(`${"a".repeat(300_000)}NEEDLE${"b".repeat(300_000)}\n`, "NEEDLE", {
    maxPreviewBytes: 200,
  }) as LineMatch[];
  ok(match !== undefined);
  deepStrictEqual([match.line, match.column, match.cutBy], [1, 300_001, "bytes"]);
  ok(match.preview.includes("NEEDLE") && match.preview.startsWith("… ") && match.preview.endsWith(" ... [truncated]"));
  ok(utf8Length(match.preview) <= 200);
});

Deno.test("FileScanner reads a line of 20 MB in parts and goes on behind it", () => {
  const long = new Uint8Array(20_000_000).fill(0x78);
  const content = new Uint8Array(long.length + 40);
  content.set(encodeUtf8("first NEEDLE\n"));
  content.set(long, 13);
  content.set(encodeUtf8("NEEDLE"), 15_000_013);
  content.set(encodeUtf8("\nlast NEEDLE"), 20_000_013);
  const matches = scan(content.subarray(0, 20_000_025), "NEEDLE") as readonly LineMatch[];
  deepStrictEqual(matches.map(({ line, column }) => [line, column]), [[1, 7], [2, 15_000_001], [3, 6]]);
});

Deno.test("FileScanner takes CRLF as one terminator and shows no CR at the end of previews and context", () => {
  const [first] = scan("foo end\r\nbar\r\n", "end$") as LineMatch[];
  deepStrictEqual([first?.line, first?.preview], [1, "foo end"]);
  const [second] = scan("foo end\r\nbar\r\n", "^bar$", { contextLines: 1 }) as LineMatch[];
  deepStrictEqual([second?.line, second?.preview, second?.before, second?.after], [2, "bar", ["foo end"], []]);
});

Deno.test("FileScanner tells binary files apart, and shows bytes that are no UTF-8 as U+FFFD", () => {
  strictEqual(scan("alpha TOK beta\0rest\nTOK line\n", "TOK"), null);
  strictEqual(scan(`TOK${"\n".repeat(5_000)}\0`, "TOK"), null);
  const [match] = scan(Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x20, 0x54, 0x4f, 0x4b), "TOK") as LineMatch[];
  deepStrictEqual([match?.preview, match?.column], ["caf\ufffd TOK", 6]);
});

Deno.test("FileScanner reads UTF-16 by its byte order mark, and counts no mark as part of the first line", () => {
  const text = `\ufeffTOK café 😀 TOK\r\n${"x".repeat(70_000)}\nlast TOK`;
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const little = Uint8Array.from(units.flatMap((unit) => [unit & 255, unit >> 8]));
  const big = Uint8Array.from(units.flatMap((unit) => [unit >> 8, unit & 255]));
  for (const content of [little, big, encodeUtf8(text)]) {
    for (const pages of [1, 1_000]) {
      const matches = scan(content, "TOK$|^TOK", { pages }) as readonly LineMatch[];
      deepStrictEqual(matches.map(({ line, column, preview }) => [line, column, preview]), [
        [1, 1, "TOK café 😀 TOK"],
        [3, 6, "last TOK"],
      ]);
    }
  }
});

Deno.test("FileScanner keeps previews within their bytes and between characters", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 700 }),
      fc.integer({ min: 80, max: 600 }),
      (text, maxPreviewBytes) => {
        const line = `${text.replaceAll(/[\n\0]/g, " ").repeat(3)}NEEDLE tail`;
        const [match] = scan(line, "NEEDLE", { maxPreviewBytes }) as LineMatch[];
        ok(match !== undefined && utf8Length(match.preview) <= maxPreviewBytes);
        strictEqual(decodeUtf8(encodeUtf8(match.preview)), match.preview);
        ok(match.preview.includes("NEEDLE"), match.preview);
        strictEqual(match.cutBy === null, match.preview === line);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("the compiled kernel belongs to its source", () => {
  const source = readFileSync(new URL("../../../build/scan_kernel/scan_kernel.as", import.meta.url));
  strictEqual(createHash("sha256").update(source).digest("hex"), SCAN_KERNEL_SOURCE_SHA256);
});
