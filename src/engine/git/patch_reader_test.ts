import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { encodeUtf8 } from "../../base/utf8.ts";
import { BoundedText, MAX_LINES } from "./bounded_text.ts";
import { PatchReader, quoted } from "./patch_reader.ts";

const LIST = ":100644 100644 1111111 0000000 M\0a\0:100644 000000 2222222 0000000 D\0b\0\0";
const PATCH =
  "diff --git a/a b/a\nindex 1111111..0000000 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n-two\n+diff --git a/b b/b\n" +
  "+three\n\\ No newline at end of file\ndiff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";

function readAll(output: string, { pieceBytes, maxBytes = 1 << 20 }: { pieceBytes: number; maxBytes?: number }) {
  const text = new BoundedText(maxBytes);
  const reader = new PatchReader({ text, below: "", hasHeader: false });
  const bytes = encodeUtf8(output);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.slice(at, at + pieceBytes));
  reader.finish();
  return { text, reader };
}

Deno.test("PatchReader gives the same files and text however the output is cut into pieces", () => {
  const whole = readAll(LIST + PATCH, { pieceBytes: 1 << 20 });
  deepStrictEqual(whole.reader.files, [
    { path: "a", status: "modified", binary: false, additions: 2, removals: 1 },
    { path: "b", status: "deleted", binary: false, additions: 0, removals: 1 },
  ]);
  strictEqual(whole.text.text(), PATCH);
  for (let pieceBytes = 1; pieceBytes < 40; pieceBytes++) {
    const pieces = readAll(LIST + PATCH, { pieceBytes });
    deepStrictEqual(
      [pieces.reader.files, pieces.text.text()],
      [whole.reader.files, PATCH],
      `pieces of ${pieceBytes} bytes`,
    );
  }
});

Deno.test("PatchReader counts every file after its text is full, and cuts at a line end", () => {
  const { text, reader } = readAll(LIST + PATCH, { pieceBytes: 7, maxBytes: 48 });
  deepStrictEqual(reader.files.map((file) => [file.additions, file.removals]), [[2, 1], [0, 1]]);
  deepStrictEqual([text.truncatedBy, text.text()], ["bytes", "diff --git a/a b/a\n"]);
});

Deno.test("PatchReader counts on behind lines of many megabytes", () => {
  const list = ":100644 100644 1111111 0000000 M\0a\0\0";
  const long = "x".repeat(20_000_000);
  const patch = `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n+${long}\n-${long}\n y\n+z\n`;
  const { text, reader } = readAll(list + patch, { pieceBytes: 65_536 });
  deepStrictEqual(reader.files.map((file) => [file.additions, file.removals]), [[2, 1]]);
  strictEqual(text.truncatedBy, "bytes");
});

Deno.test("PatchReader stops reading a diff without end", () => {
  const text = new BoundedText(1_000);
  const reader = new PatchReader({ text, below: "", hasHeader: false });
  reader.push(encodeUtf8(":000000 100644 0000000 0000000 A\0big\0\0diff --git a/big b/big\n@@ -0,0 +1,999999999 @@\n"));
  const piece = encodeUtf8(`+${"x".repeat(1_022)}\n`.repeat(256));
  let pieces = 0;
  while (reader.push(piece)) pieces++;
  ok(pieces * piece.length <= 64 * 1024 * 1024, `${pieces} pieces`);
  ok(text.bytes <= 1_000);
});

Deno.test("BoundedText keeps 2000 lines and cuts a first line over the limit between two characters", () => {
  const lines = new BoundedText(1 << 20);
  lines.addText(encodeUtf8("x\n".repeat(MAX_LINES + 5)));
  deepStrictEqual([lines.lines, lines.truncatedBy], [MAX_LINES, "lines"]);
  const long = new BoundedText(5);
  long.addText(encodeUtf8("ääää\n"));
  deepStrictEqual([long.text(), long.truncatedBy], ["ää", "bytes"]);
  const exact = new BoundedText(4);
  exact.addText(encodeUtf8("a\nb\n"));
  deepStrictEqual([exact.text(), exact.truncatedBy], ["a\nb\n", ""]);
});

Deno.test("quoted() writes names as git does", () => {
  deepStrictEqual(
    ["plain ä", 'q"', "b\\", "t\t\n", "\x01\x7f"].map(quoted),
    ["plain ä", '"q\\""', '"b\\\\"', '"t\\t\\n"', '"\\001\\177"'],
  );
});
