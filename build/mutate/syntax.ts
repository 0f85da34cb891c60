/** The little that the mutator needs to know of a syntax tree in the form of ESTree with TypeScript. */

import { parse } from "@babel/parser";

/** A node of the tree with its place in the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // deno-lint-ignore no-explicit-any -- the members depend on `type`.
  readonly [member: string]: any;
}

/** Statements of a TypeScript module. @throws SyntaxError */
export function statementsOf(source: string): readonly SyntaxNode[] {
  return parse(source, { sourceType: "module", plugins: ["typescript"] }).program.body as unknown as SyntaxNode[];
}

const IGNORED = new Set(["loc", "extra", "leadingComments", "trailingComments", "innerComments"]);

/** Children that hold code that runs: no types, no names of members, no names of modules. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return [];
  const children: SyntaxNode[] = [];
  for (const [member, value] of Object.entries(node)) {
    if (IGNORED.has(member) || (node["computed"] !== true && isName(node, member))) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string" && isCode(child)) children.push(child);
    }
  }
  return children;
}

/** Wrappers around an expression that only the type checker sees. */
const TYPE_WRAPPERS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

function isCode({ type }: SyntaxNode): boolean {
  return (!type.startsWith("TS") || TYPE_WRAPPERS.has(type)) && type !== "Directive" && type !== "TemplateElement";
}

function isName({ type }: SyntaxNode, member: string): boolean {
  return member === "key" || (member === "property" && type.endsWith("MemberExpression")) || member === "label" ||
    (member === "source" && type.startsWith("Export"));
}

/** The expression below parentheses and assertions of types. */
export function bare(node: SyntaxNode): SyntaxNode {
  return TYPE_WRAPPERS.has(node.type) ? bare(node["expression"]) : node;
}
