import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Pacer } from "../../base/pacer.ts";
import type { ToolError } from "../../base/tool_error.ts";
import { locateHunks } from "./locate_hunks.ts";
import type { Hunk, HunkLine } from "./parsed_patch.ts";

const KINDS = { " ": "context", "-": "removed", "+": "added", "~": "context" } as const;

/** A hunk from its lines; `~` is a bare empty line, `$` at the end the mark of the end of the file, `@x` a scope. */
function hunkOf(...lines: string[]): Hunk {
  const parts = lines.filter((line) => !/^[@$]/.test(line)).map((line): HunkLine => {
    return { kind: KINDS[line.charAt(0) as keyof typeof KINDS], text: line.slice(1), isBare: line.startsWith("~") };
  });
  const scopes = lines.filter((line) => line.startsWith("@")).map((line) => line.slice(1));
  return { patchLine: 1, scopes, lines: parts, atEndOfFile: lines.includes("$") };
}

/** Where the error says that the lines stand, counted from 1; undefined when it says nothing of it. */
async function elsewhere(file: string, ...lines: string[]): Promise<unknown> {
  const text = { hasBom: false, lines: file.split("|"), crlf: null };
  return await locateHunks(text, [hunkOf(...lines)], { path: "f", pacer: new Pacer() }).then(
    () => "found",
    (error: ToolError) => error.details["lines_stand_at"],
  );
}

/** Where the hunk lies: `start+count grade warnings`, `applied start`, or the error's code. */
async function place(file: string, ...lines: string[]): Promise<string> {
  const text = { hasBom: false, lines: file.split("|"), crlf: null };
  try {
    const [found] = await locateHunks(text, [hunkOf(...lines)], { path: "f", pacer: new Pacer() });
    if (found?.kind !== "placed") return `applied ${found?.start}`;
    const { start, oldCount, grade, warnings, indents } = found;
    return [`${start}+${oldCount} ${grade}`, ...(indents === null ? [] : ["mapped"]), ...warnings].join("; ");
  } catch (error) {
    return (error as ToolError).code;
  }
}

const NOT_FOUND = "PATCH_CONTEXT_NOT_FOUND";
const AMBIGUOUS = "PATCH_CONTEXT_AMBIGUOUS";
const BARE = "hunk 0: located without the empty line(s) at its end";
const TRAILING = "hunk 0: context matched only after ignoring trailing whitespace";
const OUTSIDE = "hunk 0: located after the @@ text, outside its block";

Deno.test("old lines are looked for as they are, then without their ends, then without indentation", async () => {
  strictEqual(await place("a|b|c|", " a", "-b"), "0+2 exact");
  strictEqual(
    await place("a |b|c|", " a", "-b"),
    `0+2 trailing_ws; ${TRAILING}`,
  );
  ok((await place("  a|  b|c|", " a", "-b")).startsWith("0+2 indent; mapped; hunk 0: context matched only"));
  strictEqual(await place("  a|b|c|", " a", "-b"), NOT_FOUND);
  strictEqual(await place("a|a|", "-a"), AMBIGUOUS);
  strictEqual(await place("x|", "-a"), NOT_FOUND);
});

Deno.test("lines that stand there exactly may be indented in any way, with a tab here and as wide by blanks there", async () => {
  strictEqual(await place("\ta|    b|", " \ta", "-    b"), "0+2 exact");
  strictEqual(await place("\ta|    b |", " \ta", "-    b"), `0+2 trailing_ws; ${TRAILING}`);
});

Deno.test("empty lines at the end of a hunk that are in the way are left out, with a warning", async () => {
  strictEqual(await place("a|b|", "-a", "~"), `0+1 exact; ${BARE}`);
  strictEqual(await place("a|b|", "-a", "~", "~"), `0+1 exact; ${BARE}`);
  strictEqual(await place("a||b|", "-a", "~"), "0+2 exact");
  strictEqual(await place("a|b|", "-a", " "), NOT_FOUND);
  strictEqual(await place("x|y", "~"), NOT_FOUND);
  strictEqual(await place("x|y", "-a", "~"), NOT_FOUND);
  strictEqual(await place("x|y", "+a", "~"), NOT_FOUND);
});

Deno.test("empty lines at the end of a hunk are not left out where no old line would be left", async () => {
  strictEqual(await place("x||y", "~", "~"), NOT_FOUND);
  strictEqual(await place("x|y", "+a", "~", "$"), NOT_FOUND);
});

Deno.test("lines without context go below their scope, or to the end of the file", async () => {
  strictEqual(await place("a|b|", "+x"), "2+0 exact");
  strictEqual(await place("a|b", "+x"), "2+0 exact");
  strictEqual(await place("a|b|", "@a", "+x"), "1+0 exact");
  strictEqual(await place("a|b|", "@a", "+x", "$"), "2+0 exact");
  strictEqual(await place("a|a|", "@a", "+x"), AMBIGUOUS);
  strictEqual(await place("a|b|", "@q", "+x"), NOT_FOUND);
});

Deno.test("the mark of the end of the file takes the last place only", async () => {
  strictEqual(await place("a|a|", "-a", "$"), "1+1 exact");
  strictEqual(await place("a|a", "-a", "$"), "1+1 exact");
  strictEqual(await place("a|b|", "-a", "$"), NOT_FOUND);
  strictEqual(await place("a|b|", "-b", " ", "$"), "1+2 exact");
});

Deno.test("a scope takes the places in its block, and one behind it when there is none", async () => {
  strictEqual(await place("f|  x|g|  x|", "@g", "-  x"), "3+1 exact");
  strictEqual(await place("f|  x|f|  x|", "@f", "-  x"), AMBIGUOUS);
  strictEqual(await place("f|g|x|y|x|", "@f", "-x"), `2+1 exact; ${OUTSIDE}`);
  strictEqual(await place("x|f|g|", "@f", "-x"), NOT_FOUND);
  strictEqual(await place("f|g|", "@f", "-f"), "0+1 exact");
});

Deno.test("places behind several lines with the scope are ambiguous, however many blocks lie before them", async () => {
  strictEqual(await place("f|f|g|x|y|x|", "@f", "-x"), AMBIGUOUS);
  strictEqual(await place("f|f|g|x|y|", "@f", "-x"), `3+1 exact; ${OUTSIDE}`);
});

Deno.test("an error says where else the lines stand, and be it with other ends of lines", async () => {
  deepStrictEqual(await elsewhere("a|b|", "-a", "$"), [1]);
  deepStrictEqual(await elsewhere("b|a |c|", "-a", "$"), [2]);
  deepStrictEqual(await elsewhere("x|f|g|x|", "@g", "-f"), [2]);
  deepStrictEqual(await elsewhere("b|c|", "-a", "$"), undefined);
  deepStrictEqual(await elsewhere("b|c|", "-a"), undefined);
});

Deno.test("a hunk whose result stands in the file already is skipped", async () => {
  strictEqual(await place("one|TWO|three|", " one", "-two", "+TWO", " three"), "applied 0");
  strictEqual(await place("one|TWO |three|", " one", "-two", "+TWO", " three"), "applied 0");
  strictEqual(await place("one|TWO|three|", "-two", "+TWO"), NOT_FOUND);
  strictEqual(await place("one|}|", " one", "-two", "+}"), NOT_FOUND);
  strictEqual(await place("one|three|", " one", "-two", " three"), "applied 0");
  strictEqual(await place("one|three|", " one", "-two"), NOT_FOUND);
  strictEqual(await place("one|{|", " one", "-two", " {"), NOT_FOUND);
  strictEqual(await place("b|", "-a"), NOT_FOUND);
  strictEqual(await place("f|  B|", "@f", "-  b", "+  B"), "applied 1");
  strictEqual(await place("x|  B|f|", "@f", "-  b", "+  B"), NOT_FOUND);
});

Deno.test("it takes two telling lines, one of them added if any are, to see that a hunk was applied", async () => {
  strictEqual(await place("one|two|}|", " one", " two", "+}"), "0+2 exact");
  strictEqual(await place("one|two|}|", " one", "+two", "+}"), "applied 0");
  strictEqual(await place("f|}|", "@f", "-  b", " }"), NOT_FOUND);
});

Deno.test("a line is telling when it has more than brackets and punctuation", async () => {
  for (const telling of ["two();", "(two)", "} two {"]) {
    strictEqual(await place(`one|${telling}|`, " one", `+${telling}`), "applied 0");
  }
  for (const bare of ["}", "});", "{}", "  ],", "", "  "]) {
    strictEqual(await place(`one|${bare}|x|`, " one", `+${bare}`), "0+1 exact");
  }
});

Deno.test("an insertion that stands at its place already is not made twice", async () => {
  strictEqual(await place("one|two|", " one", "+two"), "applied 0");
  strictEqual(await place("two|one|", "+two", " one"), "applied 0");
  strictEqual(await place("one|two |", " one", "+two"), "applied 0");
  strictEqual(await place("one|}|", " one", "+}"), "0+1 exact");
  strictEqual(await place("}|two|", " }", "+two"), "0+1 exact");
  strictEqual(await place("a|two|three|", "+two", "+three"), "applied 1");
  strictEqual(await place("a|two|", "+two"), "2+0 exact");
  strictEqual(await place("f|two|", "@f", "+two"), "applied 1");
  strictEqual(await place("f|}|", "@f", "+}"), "1+0 exact");
  strictEqual(await place("f|a|two|three", "@f", "+two", "+three", "$"), "applied 2");
  strictEqual(await place("one|two|", " one", "-two", "+two"), "0+2 exact");
  deepStrictEqual(await place("one|two|x", " one", "+two", "+}"), "0+1 exact");
});
