import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { encodeUtf8 } from "../../base/utf8.ts";
import { readFrontMatter } from "./front_matter.ts";
import { importedPaths } from "./imported_paths.ts";
import { shareBytes } from "./share_bytes.ts";

Deno.test("shareBytes() serves small files whole and the rest alike, within the budget", () => {
  deepStrictEqual(shareBytes([10, 20], 100), [10, 20]);
  deepStrictEqual(shareBytes([100, 10, 100], 60), [25, 10, 25]);
  deepStrictEqual(shareBytes([], 10), []);
  fc.assert(fc.property(fc.array(fc.nat(1_000), { maxLength: 8 }), fc.nat(2_000), (sizes, budget) => {
    const shares = shareBytes(sizes, budget);
    ok(shares.reduce((sum, share) => sum + share, 0) <= budget);
    ok(shares.every((share, index) => share <= (sizes[index] as number)));
    const cut = shares.filter((share, index) => share < (sizes[index] as number));
    ok(cut.length === 0 || Math.max(...shares) - Math.min(...cut) <= sizes.length, `${sizes} ${budget} -> ${shares}`);
  }));
});

Deno.test("importedPaths() finds references and no mail address, handle, span or fence", () => {
  deepStrictEqual(importedPaths("@AGENTS.md\nSee @docs/style.md, and (@./x/y).\nmail a@b.com @someone `@no.md`\n"), [
    "AGENTS.md",
    "docs/style.md",
    "./x/y",
  ]);
  deepStrictEqual(importedPaths("```\n@in.md\n```\n~~~sh\n@in.md\n~~~\n@out.md"), ["out.md"]);
  strictEqual(importedPaths("@a/b\n@a/b\n").length, 1);
  strictEqual(importedPaths(Array.from({ length: 100 }, (_, at) => `@d/${at}`).join("\n")).length, 32);
});

const FRONT: readonly [string, string, Record<string, string> | null][] = [
  ["plain", "---\nname: x\ndescription: y z\n---\ntext", { name: "x", description: "y z" }],
  ["quoted", "---\nname: \"a: b\"\ndescription: 'it''s'\n---\n", { name: "a: b", description: "it's" }],
  ["folded", "---\nname: x\ndescription: >\n  one\n  two\n---\n", { name: "x", description: "one two\n" }],
  ["literal", "---\nname: x\ndescription: |\n  one\n  two\n---\n", { name: "x", description: "one\ntwo\n" }],
  ["CRLF and BOM", "\ufeff---\r\nname: x\r\ndescription: y\r\n---\r\n", { name: "x", description: "y" }],
  ["numbers and booleans stay text", "---\nname: 1.0\ndescription: yes\n---\n", { name: "1.0", description: "yes" }],
  ["unknown keys and lists", "---\nname: x\nallowed: [a, b]\nversion: 2\n---\n", { name: "x", version: "2" }],
  ["no front matter", "# Title\n", null],
  ["no end", "---\nname: x\n", null],
  ["not YAML", "---\nname: [x\n---\n", null],
  ["a list", "---\n- x\n---\n", null],
  ["aliases", "---\na: &a [x]\nname: *a\n---\n", null],
  ["a duplicate key", "---\nname: x\nname: y\n---\n", null],
  ["longer than the limit", `---\nname: ${"x".repeat(9_000)}\n---\n`, null],
];

for (const [what, text, values] of FRONT) {
  Deno.test(`readFrontMatter() reads or refuses: ${what}`, () => {
    const front = readFrontMatter(encodeUtf8(text));
    deepStrictEqual(front.kind === "read" ? front.values : null, values);
  });
}

Deno.test("readFrontMatter() takes any bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      readFrontMatter(encodeUtf8(`---\n${text}\n---\n`));
    }),
    { numRuns: 500 },
  );
});
