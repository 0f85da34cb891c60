/** JSON with comments and trailing commas, as editors keep their settings. */

import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { EntryValue } from "./client.ts";
import { type ConfigText, ConfigTextFault } from "./config_text.ts";

/** Edits keep comments, order and indentation. */
export const JSON_TEXT: ConfigText = {
  parse(text) {
    const root = read(text);
    return root === null ? {} : getNodeValue(root);
  },
  put(text, path, entry) {
    let edited = text;
    for (const [key, value] of Object.entries(entry)) edited = set(edited, [...path, key], value);
    return edited;
  },
  remove(text, path) {
    const root = read(text);
    const value = root === null ? undefined : findNodeAtLocation(root, [...path]);
    return value?.parent === undefined ? text : withoutProperty(text, value.parent);
  },
};

/** Kinds of tokens, by their numbers in jsonc-parser (its enum cannot be imported by its name). */
const CLOSE_BRACE = 2;
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const BLANKS = 15;
const END = 17;

/** Root object; null for a file without any value. @throws ConfigTextFault */
function read(text: string): Node | null {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length;
    throw new ConfigTextFault(`it is not valid JSON (line ${line}: ${printParseErrorCode(first.error)})`);
  }
  if (root === undefined) return null;
  if (root.type !== "object") throw new ConfigTextFault("its outermost value is not an object");
  return root;
}

/** Text in which `value` stands at `path`; objects on the way are made. */
function set(text: string, path: readonly string[], value: EntryValue): string {
  const root = read(text);
  if (root === null) return `${endLine(text)}${layOut(nest(path, value), "", style(text))}${style(text).eol}`;
  let node = root;
  for (const [depth, key] of path.entries()) {
    const same = (node.children ?? []).filter((property) => property.children?.[0]?.value === key);
    const [property] = same;
    if (property === undefined) return insert(text, node, { key, value: nest(path.slice(depth + 1), value) });
    if (same.length > 1) throw new ConfigTextFault(`the key ${JSON.stringify(key)} stands there twice`);
    const inner = property.children?.[1];
    if (inner === undefined) throw new ConfigTextFault(`the key ${JSON.stringify(key)} has no value`);
    if (depth === path.length - 1) return replace(text, inner, value);
    if (inner.type !== "object") throw new ConfigTextFault(`${path.slice(0, depth + 1).join(".")} is not an object`);
    node = inner;
  }
  return text;
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function replace(text: string, node: Node, value: EntryValue): string {
  if (JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) return text;
  const made = layOut(value, indentAt(text, node.offset), style(text));
  return splice(text, { start: node.offset, end: node.offset + node.length }, made);
}

function insert(text: string, object: Node, { key, value }: { key: string; value: unknown }): string {
  const form = style(text);
  const outer = indentAt(text, object.offset);
  const last = object.children?.at(-1);
  if (last === undefined) return insertFirst(text, object, { key, value });
  const after = afterProperty(text, last);
  if (!after.lineEnds) {
    // An object on one line stays on one line.
    const made = `${after.comma ? "" : ","} ${JSON.stringify(key)}: ${oneLine(value)}${after.comma ? "," : ""}`;
    return splice(text, { start: after.at, end: after.at }, made);
  }
  const inner = indentAt(text, last.offset) || outer + form.unit;
  const made = `${form.eol}${inner}${JSON.stringify(key)}: ${layOut(value, inner, form)}${after.comma ? "," : ""}`;
  const grown = splice(text, { start: after.at, end: after.at }, made);
  const end = last.offset + last.length;
  return after.comma ? grown : splice(grown, { start: end, end }, ",");
}

function insertFirst(text: string, object: Node, { key, value }: { key: string; value: unknown }): string {
  const form = style(text);
  const outer = indentAt(text, object.offset);
  const inner = outer + form.unit;
  const made = `${form.eol}${inner}${JSON.stringify(key)}: ${layOut(value, inner, form)}`;
  const start = object.offset + 1;
  const end = object.offset + object.length - 1;
  const between = text.slice(start, end);
  if (between.trim() === "") return splice(text, { start, end }, `${made}${form.eol}${outer}`);
  // Only comments inside: they stay, above the new entry.
  const kept = between.trimEnd();
  return splice(text, { start, end }, `${kept}${made}${form.eol}${outer}`);
}

/** Where something can be put after a property: behind a comma and a comment on the same line. */
function afterProperty(text: string, property: Node): { at: number; comma: boolean; lineEnds: boolean } {
  const end = property.offset + property.length;
  const scanner = createScanner(text, false);
  scanner.setPosition(end);
  let comma = false;
  let at = end;
  for (;;) {
    const token = scanner.scan() as number;
    if (token === COMMA) comma = true;
    else if (token === LINE_BREAK) return { at, comma, lineEnds: true };
    else if (token !== BLANKS && token !== LINE_COMMENT && token !== BLOCK_COMMENT) {
      return { at: token === CLOSE_BRACE || token === END ? at : end, comma, lineEnds: false };
    }
    if (token !== BLANKS) at = scanner.getTokenOffset() + scanner.getTokenLength();
  }
}

function withoutProperty(text: string, property: Node): string {
  const siblings = property.parent?.children ?? [];
  const index = siblings.indexOf(property);
  const previous = siblings[index - 1];
  const end = property.offset + property.length;
  const ownComma = commaAfter(text, end);
  const spans = [wholeLine(text, { start: property.offset, end: ownComma === null ? end : ownComma + 1 })];
  if (ownComma !== null && text.slice(end, ownComma).trim() !== "") {
    // A comment stands before the comma: it stays.
    spans.splice(0, 1, { start: property.offset, end }, { start: ownComma, end: ownComma + 1 });
  }
  if (ownComma === null && previous !== undefined) {
    const comma = commaAfter(text, previous.offset + previous.length);
    if (comma !== null) spans.push({ start: comma, end: comma + 1 });
  }
  return spans.sort((a, b) => b.start - a.start).reduce((whole, span) => splice(whole, span, ""), text);
}

function commaAfter(text: string, from: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  return (scanner.scan() as number) === COMMA ? scanner.getTokenOffset() : null;
}

/** Widens a span to its whole lines when nothing else stands on them. */
function wholeLine(text: string, { start, end }: Span): Span {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", end);
  const lineEnd = newline < 0 ? text.length : newline + 1;
  const alone = text.slice(lineStart, start).trim() === "" && text.slice(end, lineEnd).trim() === "";
  return alone && lineStart > 0 ? { start: lineStart, end: lineEnd } : { start, end };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function splice(text: string, { start, end }: Span, made: string): string {
  return text.slice(0, start) + made + text.slice(end);
}

interface Style {
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
}

function style(text: string): Style {
  return { eol: /\r\n/.test(text) ? "\r\n" : "\n", unit: /^([ \t]+)["}\]{[]/m.exec(text)?.[1] ?? "  " };
}

/** Blanks at the start of the line that holds `offset`. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

function layOut(value: unknown, indent: string, { eol, unit }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

function oneLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + style(text).eol;
}
