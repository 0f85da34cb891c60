/** Puts all mutants of a file into it at once, each behind a switch: nothing has to be compiled anew for the next one. */

import type { Mutant } from "./mutant.ts";
import { childrenOf, statementsOf, type SyntaxNode } from "./syntax.ts";

/** A range of the source and what is put around or in place of it. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly mutants: Mutant[];
  /** The body of a loop, whose turns are counted so that an endless one ends. */
  isLoopBody: boolean;
  /** A constant of the module, which is made again whenever another mutant is on. */
  constant: { readonly name: string; readonly valueAt: { readonly start: number; readonly end: number } } | null;
}

/**
 * The source with every mutant in it, all off.
 *
 * @param switchPath module with `again`, `isOn` and `turn`, relative to the file
 */
export function instrument(source: string, mutants: readonly Mutant[], switchPath: string): string {
  const edits = new Map<string, Edit>();
  const editAt = ({ start, end }: { start: number; end: number }): Edit => {
    const key = `${start} ${end}`;
    const edit = edits.get(key) ?? { start, end, mutants: [], isLoopBody: false, constant: null };
    edits.set(key, edit);
    return edit;
  };
  for (const mutant of mutants) editAt(mutant).mutants.push(mutant);
  const statements = statementsOf(source);
  for (const body of loopBodies(statements)) editAt(body).isLoopBody = true;
  for (const statement of statements) {
    const declaration =
      (statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement) as SyntaxNode;
    if (declaration?.type !== "VariableDeclaration") continue;
    const [{ id, init }] = declaration["declarations"] as [SyntaxNode & { id: SyntaxNode; init: SyntaxNode }];
    if (id.type === "Identifier") editAt(declaration).constant = { name: id["name"], valueAt: init };
  }
  const sorted = [...edits.values()].sort((a, b) => a.start - b.start || b.end - a.end);
  const code = rendered(source, { start: 0, end: source.length }, sorted);
  return `import { again as __again, isOn as __isOn, turn as __turn } from ${JSON.stringify(switchPath)}; ${code}`;
}

/** The text of `range` with all of `edits`, which lie in it; takes them off the list. */
function rendered(source: string, range: { start: number; end: number }, edits: Edit[]): string {
  let text = "";
  let at = range.start;
  while (edits[0] !== undefined && edits[0].start < range.end) {
    const edit = edits.shift() as Edit;
    text += source.slice(at, edit.start);
    if (edit.constant === null) text += switched(edit, rendered(source, edit, edits));
    else text += remade(edit.constant.name, rendered(source, edit.constant.valueAt, edits));
    at = edit.end;
  }
  return text + source.slice(at, range.end);
}

/** Code that needs a value at load gets it at load, and later uses see the one that was made last. */
function remade(name: string, value: string): string {
  const make = `__make_${name}`;
  return `let ${name} = (${value}); const ${make} = () => (${value}); __again(() => { ${name} = ${make}(); });`;
}

function switched({ mutants, isLoopBody }: Edit, inner: string): string {
  let text = inner;
  const statement = mutants.find(({ form }) => form === "statement");
  const key = mutants.find(({ form }) => form === "key");
  const expressions = mutants.filter(({ form }) => form === "expression");
  if (expressions.length > 0) {
    text = `(${expressions.map((mutant) => `__isOn(${mutant.id}) ? (${mutant.text}) : `).join("")}(${text}))`;
  }
  if (key !== undefined) {
    text = `[__isOn(${key.id}) ? ${key.text} : ${/^["']/.test(text) ? text : JSON.stringify(text)}]`;
  }
  if (statement !== undefined) text = `{ if (!__isOn(${statement.id})) { ${text} } }`;
  return isLoopBody ? `{ __turn(); ${text} }` : text;
}

function loopBodies(nodes: readonly SyntaxNode[]): SyntaxNode[] {
  return nodes.flatMap((node) => {
    const own = /^(?:For|While|DoWhile)\w*Statement$/.test(node.type) ? [node["body"] as SyntaxNode] : [];
    return [...own, ...loopBodies(childrenOf(node))];
  });
}
