/** Changes of operators, conditions, constants and calls. */

import type { Change, Surroundings } from "./mutants_of.ts";
import { patternChanges } from "./pattern_changes.ts";
import { bare, type SyntaxNode } from "./syntax.ts";

/** Every changed form of the expression `node` itself; its parts come when they are visited. */
export function expressionChanges(node: SyntaxNode, surroundings: Surroundings): Change[] {
  const change = (text: string, at: { start: number; end: number } = node): Change => ({
    node: at,
    form: "expression",
    text,
  });
  const { source, parent } = surroundings;
  const textOf = (part: SyntaxNode): string => source.slice(part.start, part.end);
  const changes = conditionsOf(node).flatMap((condition) => {
    const constants = node.type === "IfStatement" || node.type === "ConditionalExpression"
      ? ["true", "false"]
      : ["false"];
    return constants.map((constant) => change(constant, condition));
  });
  switch (node.type) {
    case "BinaryExpression":
      return [...changes, ...binaryTexts(node, source).map((text) => change(text))];
    case "LogicalExpression":
      return [...changes, ...logicalTexts(node, source).map((text) => change(text))];
    case "AssignmentExpression":
    case "UpdateExpression":
      return [...changes, ...stepTexts(node, source).map((text) => change(text))];
    case "UnaryExpression":
      if (node["operator"] === "!") return [...changes, change(textOf(node["argument"]))];
      if (node["operator"] === "-" && node["argument"].type !== "NumericLiteral") {
        return [...changes, change(textOf(node["argument"]))];
      }
      return changes;
    case "BooleanLiteral":
      return [...changes, change(node["value"] === true ? "false" : "true")];
    case "NumericLiteral":
      return [...changes, ...numberTexts(node, parent, source).map((text) => change(text))];
    case "StringLiteral":
      return isSentence(node["value"]) ? changes : [...changes, change(node["value"] === "" ? '"?"' : '""')];
    case "RegExpLiteral":
      return [...changes, ...patternChanges(node["pattern"], node["flags"]).map((text) => change(text))];
    case "CallExpression":
      return [...changes, ...callTexts(node, source, parent).map((text) => change(text))];
    case "ObjectProperty":
      return [...changes, ...keyChanges(node, surroundings)];
    default:
      return changes;
  }
}

function conditionsOf(node: SyntaxNode): SyntaxNode[] {
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
    case "WhileStatement":
    case "DoWhileStatement":
      return [node["test"]].filter((test) => bare(test).type !== "BooleanLiteral");
    case "ForStatement":
      return node["test"] === null ? [] : [node["test"]];
    default:
      return [];
  }
}

/** What takes the place of an operator. The sign of a comparison is turned round as well as moved by one. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  ">>>": ["<<"],
};

function binaryTexts(node: SyntaxNode, source: string): string[] {
  const { left, right, operator } = node as SyntaxNode & { left: SyntaxNode; right: SyntaxNode; operator: string };
  if (operator === "+" && (isText(left) || isText(right))) return [];
  return (OPERATORS[operator] ?? []).map((other) => withOperator(node, other, source));
}

function withOperator(node: SyntaxNode, other: string, source: string): string {
  const { left, right, operator } = node as SyntaxNode & { left: SyntaxNode; right: SyntaxNode; operator: string };
  const between = source.slice(left.end, right.start).replace(
    /\/\*.*?\*\/|\/\/.*$/gms,
    (text) => " ".repeat(text.length),
  );
  const at = left.end + between.indexOf(operator);
  return source.slice(node.start, at) + other + source.slice(at + operator.length, node.end);
}

function logicalTexts(node: SyntaxNode, source: string): string[] {
  const { left, right, operator } = node as SyntaxNode & { left: SyntaxNode; right: SyntaxNode; operator: string };
  const sides = [left, right].map((side) => source.slice(side.start, side.end));
  if (operator === "??") return sides;
  const other = operator === "&&" ? "||" : "&&";
  // Only one operator of a chain is swapped, so the parts need parentheses.
  return [`(${sides[0]}) ${other} (${sides[1]})`, ...sides];
}

function stepTexts(node: SyntaxNode, source: string): string[] {
  const text = source.slice(node.start, node.end);
  if (node.type === "UpdateExpression") {
    return [node["operator"] === "++" ? text.replace("++", "--") : text.replace("--", "++")];
  }
  const swapped = { "+=": "-=", "-=": "+=", "*=": "/=", "|=": "&=", "&=": "|=" }[node["operator"] as string];
  return swapped === undefined || (node["operator"] === "+=" && isText(node["right"]))
    ? []
    : [withOperator(node, swapped, source)];
}

function isText(node: SyntaxNode): boolean {
  const { type, left, right, operator } = bare(node);
  return type === "StringLiteral" || type === "TemplateLiteral" ||
    (type === "BinaryExpression" && operator === "+" && (isText(left) || isText(right)));
}

/** One more and one less. Beside `<` and its kind one of them is what the moved comparison says already. */
function numberTexts(node: SyntaxNode, parent: SyntaxNode | null, source: string): string[] {
  const value = node["value"] as number;
  const written = (number: number): string => {
    return /^0x/i.test(source.slice(node.start, node.end)) && number >= 0 ? `0x${number.toString(16)}` : String(number);
  };
  const [more, less] = [written(value + 1), written(value - 1)];
  if (parent?.type !== "BinaryExpression") return [more, less];
  const isRight = parent["right"] === node;
  switch (parent["operator"]) {
    case "<":
    case ">=":
      return isRight ? [less] : [more];
    case ">":
    case "<=":
      return isRight ? [more] : [less];
    default:
      return [more, less];
  }
}

/** Text for people: its wording is no rule. */
function isSentence(text: string): boolean {
  return /[a-z,;:] \w/.test(text) && text.length > 12;
}

const TWINS: ReadonlyMap<string, string> = new Map(Object.entries({
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
  find: "findLast",
  findLast: "find",
}));

/** Calls without which the receiver itself goes on. */
const FILTERS = new Set(["trim", "trimStart", "trimEnd", "toLowerCase", "filter", "sort", "reverse", "slice"]);

function callTexts(node: SyntaxNode, source: string, parent: SyntaxNode | null): string[] {
  const callee = node["callee"] as SyntaxNode;
  if (callee.type !== "MemberExpression" || callee["computed"] === true || parent?.type === "ExpressionStatement") {
    return [];
  }
  const { property, object } = callee as SyntaxNode & { property: SyntaxNode; object: SyntaxNode };
  const twin = TWINS.get(property["name"]);
  const texts: string[] = [];
  if (twin !== undefined) {
    texts.push(source.slice(node.start, property.start) + twin + source.slice(property.end, node.end));
  }
  if (FILTERS.has(property["name"])) texts.push(source.slice(object.start, object.end));
  return texts;
}

/** Entries of tables: a table is an object with several entries that is made at load. */
function keyChanges(node: SyntaxNode, { parent, inFunction }: Surroundings): Change[] {
  if (inFunction || parent?.type !== "ObjectExpression" || parent["properties"].length < 4 || node["computed"]) {
    return [];
  }
  const isTable = (parent["properties"] as SyntaxNode[]).every(({ value }) => {
    return value !== undefined && /^(?:Object|Array|String|Numeric|ArrowFunction|Identifier)/.test(bare(value).type);
  });
  return isTable ? [{ node: node["key"], form: "key", text: '"?"' }] : [];
}
