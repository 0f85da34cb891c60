/** Every mutant of a source file. Comments, types, imports, names and sentences for people are left alone. */

import { UNCHANGED } from "./explained.ts";
import { expressionChanges } from "./expression_changes.ts";
import type { Mutant } from "./mutant.ts";
import { childrenOf, statementsOf, type SyntaxNode } from "./syntax.ts";

/** A change before it has a place in a file. */
export interface Change {
  readonly node: { readonly start: number; readonly end: number };
  readonly form: Mutant["form"];
  readonly text: string;
}

/** What of a node matters for which changes make sense there. */
export interface Surroundings {
  readonly source: string;
  readonly parent: SyntaxNode | null;
  /** Inside a function, whatever it is nested in; else the code runs once, at load. */
  readonly inFunction: boolean;
}

/**
 * The mutants in the order of the syntax tree, none twice.
 *
 * @param firstId number of the first mutant; the others follow
 */
export function mutantsOf(file: string, source: string, firstId: number): Mutant[] {
  const changes: Change[] = [];
  const unchanged = new Set(UNCHANGED.filter((entry) => entry.file === file).map(({ name }) => name));
  const visit = (node: SyntaxNode, surroundings: Surroundings): void => {
    if (/^(?:FunctionDeclaration|VariableDeclarator)$/.test(node.type) && unchanged.has(node["id"].name)) return;
    changes.push(...statementChanges(node, surroundings), ...expressionChanges(node, surroundings));
    const inFunction = surroundings.inFunction || /Function|Method/.test(node.type);
    for (const child of childrenOf(node)) visit(child, { source, parent: node, inFunction });
  };
  for (const statement of statementsOf(source)) visit(statement, { source, parent: null, inFunction: false });
  const seen = new Set<string>();
  return changes.filter((change) => {
    const key = JSON.stringify([change.node.start, change.node.end, change.text]);
    const original = source.slice(change.node.start, change.node.end);
    if (seen.has(key) || original === change.text) return false;
    seen.add(key);
    return true;
  }).map(({ node, form, text }, index) => {
    const before = source.slice(0, node.start);
    const line = before.split("\n").length;
    return {
      id: firstId + index,
      file,
      line,
      code: (source.split("\n")[line - 1] as string).trim(),
      change: described(source.slice(node.start, node.end), form === "statement" ? "removed" : text),
      start: node.start,
      end: node.end,
      form,
      text,
    };
  });
}

const REMOVABLE = new Set([
  "ExpressionStatement",
  "ReturnStatement",
  "ThrowStatement",
  "ContinueStatement",
  "BreakStatement",
]);

function statementChanges(node: SyntaxNode, { inFunction, source, parent }: Surroundings): Change[] {
  if (!REMOVABLE.has(node.type) || !inFunction) return [];
  // A loop without its only step or its way out would only run endlessly.
  if (parent?.type === "ForStatement" && parent["body"] !== node) return [];
  // The last `return` of nothing changes nothing.
  if (node.type === "ReturnStatement" && node["argument"] === null && isLast(node, parent)) return [];
  if (/^this\.#\w+ = /.test(source.slice(node.start, node.end)) && parent === null) return [];
  return [{ node, form: "statement", text: "" }];
}

function isLast(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  return parent?.type === "BlockStatement" && parent["body"].at(-1) === node;
}

/** Both texts, or of long ones the part that differs with a little around it. */
function described(from: string, to: string): string {
  const [before, after] = [from, to].map((text) => text.replace(/\s+/g, " ").trim()) as [string, string];
  if (before.length <= MAX_SHOWN || to === "removed") return `${shortened(before)} → ${shortened(after)}`;
  let start = 0;
  while (start < after.length && before[start] === after[start]) start++;
  let rest = 0;
  while (rest < after.length - start && before.at(-1 - rest) === after.at(-1 - rest)) rest++;
  const [first, last] = [Math.max(0, start - AROUND), Math.max(0, rest - AROUND)];
  const excerpt = (text: string) =>
    (first > 0 ? "…" : "") + text.slice(first, text.length - last) + (last > 0 ? "…" : "");
  return `${shortened(excerpt(before))} → ${shortened(excerpt(after))}`;
}

const MAX_SHOWN = 60;
const AROUND = 16;

function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, 38)} … ${text.slice(-18)}`;
}
