import { deepStrictEqual } from "node:assert/strict";
import { Pacer } from "../../base/pacer.ts";
import { keepInside, ScopeFinder } from "./find_scope.ts";

const FILE = `
class A {
  one() {
    return 1;
  }
  two(
    a,
  ) {
    return 2;
  }
}
function two()
{
  return 1;
}

def three:
  x = 1

  y = 2
end
last
`.split("\n").slice(1);

interface Result {
  /** First and last line of each block, counted from 1. */
  readonly blocks: string;
  readonly missing: string | null;
  readonly from: number;
}

async function find(
  lines: readonly string[],
  scopes: readonly string[],
  others: readonly string[] = [],
): Promise<Result> {
  const text = { hasBom: false, lines, crlf: null };
  const finder = new ScopeFinder(text, { scopes: new Set([...scopes, ...others]), pacer: new Pacer() });
  const { anchors, missing, searchStart } = await finder.find(scopes);
  return { blocks: anchors.map(({ line, end }) => `${line + 1}-${end}`).join(), missing, from: searchStart + 1 };
}

async function blocks(lines: readonly string[], ...scopes: string[]): Promise<string> {
  return (await find(lines, scopes)).blocks;
}

Deno.test("a block reaches to the first line that is indented no deeper and closes nothing", async () => {
  deepStrictEqual(await blocks(FILE, "one() {"), "2-4");
  deepStrictEqual(await blocks(FILE, "class A"), "1-10");
});

Deno.test("brackets that close go on with the block, and so does a brace on the next line", async () => {
  deepStrictEqual(await blocks(FILE, "two("), "5-10");
  deepStrictEqual(await blocks(FILE, "function two()"), "11-15");
  for (const closer of ["};", "},", "{}", ")", "]", ") {"]) {
    deepStrictEqual(await blocks(["a", "  b", closer, "c"], "a"), "1-3");
  }
});

Deno.test("blank lines and `end` belong to the block", async () => {
  deepStrictEqual(await blocks(FILE, "def three"), "16-20");
  for (const end of ["end", "end;", "end,", "end."]) deepStrictEqual(await blocks(["a", "  b", end, "c"], "a"), "1-3");
  for (const other of ["ending", "end x", "bend"]) deepStrictEqual(await blocks(["a", "  b", other, "c"], "a"), "1-2");
});

Deno.test("a block goes to the end of the file where nothing ends it", async () => {
  deepStrictEqual(await blocks(["a", "  b", "  c"], "a"), "1-3");
  deepStrictEqual(await blocks(["a"], "a"), "1-1");
});

Deno.test("nested scopes are searched inside the block of the outer one, its own line left out", async () => {
  deepStrictEqual(await blocks(FILE, "class A", "two("), "5-10");
  deepStrictEqual(await blocks(FILE, "function two", "return"), "13-15");
  deepStrictEqual(await find(FILE, ["function two", "two"]), { blocks: "", missing: "two", from: 11 });
  deepStrictEqual(await find(FILE, ["one", "return 2"]), { blocks: "", missing: "return 2", from: 2 });
  deepStrictEqual(await find(FILE, ["nowhere"]), { blocks: "", missing: "nowhere", from: 1 });
  deepStrictEqual(await find(FILE, []), { blocks: "", missing: null, from: 1 });
  deepStrictEqual((await find(FILE, ["class A", "two("])).from, 5);
});

Deno.test("a line that is the scope and nothing else outranks lines that mention it, but not a second such line", async () => {
  deepStrictEqual(await blocks(["x = a + 1", "  a", "b"], "a"), "2-2");
  deepStrictEqual(await blocks(["x = a + 1", "a", "b", "a"], "a"), "1-1,2-2,4-4");
  deepStrictEqual(await blocks(["x = a + 1", "y = a"], "a"), "1-1,2-2");
});

Deno.test("runs of whitespace count as one blank only for scopes that are on no line as written", async () => {
  deepStrictEqual(await blocks(["def  f( a )", "g"], "def f( a )"), "1-1");
  deepStrictEqual(await blocks(["def  f", "def f"], "def f"), "2-2");
  deepStrictEqual(await blocks(["def  f x", "def f y"], "def f"), "2-2");
  deepStrictEqual(await blocks(["def\tf", "x"], "def   f"), "1-1");
  deepStrictEqual((await find(["def  f", "x"], ["def f"], ["x", "nowhere"])).blocks, "1-1");
});

Deno.test("many scopes are found as few are, two that differ in blanks only on the same lines", async () => {
  const others = ["def  f", "nowhere", "none", "no line", "g"];
  deepStrictEqual((await find(["def\tf x", "? g"], ["def f"], others)).blocks, "1-1");
  deepStrictEqual((await find(["def\tf x", "? g"], ["g"], ["def f", ...others])).blocks, "2-2");
});

Deno.test("the first line of a file has its block also when it is asked for last", async () => {
  const lines = ["z a", "  a", "    a", "last"];
  const finder = new ScopeFinder({ hasBom: false, lines, crlf: null }, {
    scopes: new Set(["a", "z"]),
    pacer: new Pacer(),
  });
  await finder.find(["a"]);
  deepStrictEqual((await finder.find(["z"])).anchors, [{ line: 0, end: 3 }]);
});

Deno.test("many anchors find the ends of their blocks as few do", async () => {
  const pieces = ["a", "  a", "    a", "", "  }", "}", "{", "    b", "b", "  b", "end", ") a", "\ta"];
  let state = 7;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 200; round++) {
    const lines = Array.from({ length: 2 + random(12) }, () => pieces[random(pieces.length)] as string);
    const marked = lines.map((line, index) => line.replace("a", `a${index};`));
    const many = await blocks(marked, "a");
    const one: string[] = [];
    for (const [index, line] of lines.entries()) if (line.includes("a")) one.push(await blocks(marked, `a${index};`));
    deepStrictEqual(many, one.filter((found) => found !== "").join(), marked.join("\n"));
  }
});

Deno.test("keepInside() keeps places in any of the blocks, the first line of a block unless strictly inside is asked", () => {
  const places = [0, 2, 3, 4, 5, 7, 8].map((line) => ({ line }));
  const kept = (strictly: boolean, ...ends: (readonly [number, number])[]) => {
    return keepInside(places, ends.map(([line, end]) => ({ line, end })), { strictly }).map(({ line }) => line);
  };
  deepStrictEqual(kept(false, [2, 4], [7, 8]), [2, 3, 7]);
  deepStrictEqual(kept(true, [2, 4], [7, 8]), [3]);
  deepStrictEqual(kept(false, [1, 8], [3, 4]), [2, 3, 4, 5, 7]);
  deepStrictEqual(kept(true, [0, 9]), [2, 3, 4, 5, 7, 8]);
  deepStrictEqual(kept(false), []);
});
