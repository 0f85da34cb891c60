import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { instrument } from "./instrument.ts";
import { mutantsOf } from "./mutants_of.ts";
import { statementsOf } from "./syntax.ts";

function changesOf(source: string): string[] {
  return mutantsOf("a.ts", source, 0).map(({ change }) => change);
}

Deno.test("operators, conditions, constants and statements are changed", () => {
  deepStrictEqual(changesOf("const f = (a) => a < 10;"), [
    "a < 10 → a <= 10",
    "a < 10 → a >= 10",
    "10 → 9",
  ]);
  deepStrictEqual(changesOf("function f(a, b) { if (a && !b) return 0; }"), [
    "a && !b → true",
    "a && !b → false",
    "a && !b → (a) || (!b)",
    "a && !b → a",
    "a && !b → !b",
    "!b → b",
    "return 0; → removed",
    "0 → 1",
    "0 → -1",
  ]);
  deepStrictEqual(changesOf('const f = (a) => a.trim().startsWith("x") ? 0x1b : b ?? /^a+$/i;').slice(0, 5), [
    'a.trim().startsWith("x") → true',
    'a.trim().startsWith("x") → false',
    'a.trim().startsWith("x") → a.trim().endsWith("x")',
    "a.trim() → a",
    '"x" → ""',
  ]);
});

Deno.test("comments, types, imports, names and sentences are left alone", () => {
  deepStrictEqual(
    changesOf(`
import { a } from "./a.ts";
/** a < b && c === 1 */
type T = "x" | 1;
export interface I { readonly "y": 2 }
const v = a as unknown as Record<"z", true>; // 1 + 1
throw new Error("Cannot read the file: it is gone");
const o = { key: a.member["x" as never] };
`),
    ['"x" → ""'],
  );
});

Deno.test("a mutant is one change of the text that still is a program", () => {
  const source = Deno.readTextFileSync(new URL("./expression_changes.ts", import.meta.url));
  const mutants = mutantsOf("expression_changes.ts", source, 0);
  ok(mutants.length > 200);
  for (const { start, end, form, text } of mutants.filter(({ id }) => id % 10 === 0)) {
    const inserted = form === "statement" ? "{}" : form === "key" ? text : `(${text})`;
    statementsOf(source.slice(0, start) + inserted + source.slice(end));
  }
});

Deno.test("instrumented code does what the source does until a mutant is switched on", () => {
  const source = `
const LIMIT = 2;
function f(list) { let sum = 0; for (const n of list) { if (n > LIMIT) continue; sum += n; } return sum; }
return f;`.replace("return f;", "");
  const mutants = mutantsOf("a.ts", source, 0);
  const code = instrument(source, mutants, "./switch.ts").replace(/^import [^;]+;/, "");
  let active = -1;
  const makers: (() => void)[] = [];
  const build = new Function("__isOn", "__turn", "__again", `${code}\nreturn f;`);
  const f = build((id: number) => id === active, () => {}, (make: () => void) => makers.push(make));
  const sumWith = (change: string): number => {
    active = mutants.find((mutant) => mutant.change === change)?.id ?? -1;
    for (const make of makers) make();
    return f([1, 2, 3]);
  };
  strictEqual(sumWith(""), 3);
  strictEqual(sumWith("n > LIMIT → n >= LIMIT"), 1);
  strictEqual(sumWith("continue; → removed"), 6);
  strictEqual(sumWith("2 → 3"), 6);
  strictEqual(sumWith(""), 3);
});
