/** TOML tables, edited in their text: a library would write the whole file anew and lose comments and layout. */

import { parse } from "smol-toml";
import type { EntryValue } from "./client.ts";
import { type ConfigText, ConfigTextFault, valueAt } from "./config_text.ts";

/**
 * Changes only lines of the entry's own tables.
 *
 * @throws ConfigTextFault for inline tables, which it cannot change in place
 */
export const TOML_TEXT: ConfigText = {
  parse(text) {
    try {
      return parse(text, { integersAsBigInt: "asNeeded" });
    } catch (fault) {
      const [reason] = (fault instanceof Error ? fault.message : String(fault)).split("\n");
      throw new ConfigTextFault(`it is not valid TOML (${reason})`);
    }
  },
  put(text, path, entry) {
    const header = statements(text).find((found) => found.kind === "table" && sameKeys(found.keys, path));
    if (header !== undefined) return putInto(text, header, entry);
    if (valueAt(TOML_TEXT.parse(text), path) !== undefined) {
      throw new ConfigTextFault(`its ${path.join(".")} is not a table of its own, [${path.join(".")}]`);
    }
    const eol = eolOf(text);
    const before = text === "" ? "" : text.endsWith("\n") ? text + eol : text + eol + eol;
    return `${before}[${path.join(".")}]${eol}${pairs(entry, eol)}`;
  },
  remove(text, path) {
    const found = statements(text);
    let edited = text;
    for (let index = found.length - 1; index >= 0; index--) {
      const header = found[index] as Statement;
      if (header.kind !== "table" || !startsWithKeys(header.keys, path)) continue;
      const next = found.findIndex((other, at) => at > index && other.kind === "table");
      const last = found[(next < 0 ? found.length : next) - 1] as Statement;
      edited = withoutLines(edited, { start: header.start, end: last.end });
    }
    return edited;
  },
};

interface Statement {
  readonly kind: "table" | "pair";
  readonly keys: readonly string[];
  readonly start: number;
  /** End of its last line, the line break included. */
  readonly end: number;
  /** Span of a pair's value. */
  readonly value: { readonly start: number; readonly end: number };
}

function putInto(text: string, header: Statement, entry: Readonly<Record<string, EntryValue>>): string {
  const all = statements(text);
  const from = all.findIndex((found) => found.start === header.start) + 1;
  const upTo = all.findIndex((found, at) => at >= from && found.kind === "table");
  const own = all.slice(from, upTo < 0 ? all.length : upTo);
  const eol = eolOf(text);
  const edits = Object.entries(entry).map(([key, value]) => {
    const pair = own.find((found) => sameKeys(found.keys, [key]));
    return pair === undefined
      ? { start: header.end, end: header.end, made: `${key} = ${tomlValue(value)}${eol}` }
      : { ...pair.value, made: tomlValue(value) };
  });
  let edited = text;
  if (!text.slice(0, header.end).endsWith("\n")) edited += eol;
  // From the end to the beginning, so that the places before stay right; of two insertions at one place the later first.
  for (const { start, end, made } of edits.reverse().sort((a, b) => b.start - a.start)) {
    const present = edited.slice(start, end);
    const at = start === end && !text.slice(0, header.end).endsWith("\n") ? edited.length : start;
    if (start === end) edited = edited.slice(0, at) + made + edited.slice(at);
    else if (present !== made && !sameValue(present, made)) edited = edited.slice(0, start) + made + edited.slice(end);
  }
  return edited;
}

function sameValue(one: string, other: string): boolean {
  const value = (text: string) => JSON.stringify(parse(`value = ${text}`));
  return value(one) === value(other);
}

/** Removes lines, and one of the blank lines around them. */
function withoutLines(text: string, { start, end }: { start: number; end: number }): string {
  const before = text.slice(0, start);
  const blank = /(?:^|\n)([ \t]*\r?\n)$/.exec(before)?.[1]?.length ?? 0;
  return before.slice(0, before.length - blank) + text.slice(end);
}

function pairs(entry: Readonly<Record<string, EntryValue>>, eol: string): string {
  return Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}${eol}`).join("");
}

/** Strings of JSON are basic strings of TOML, save for DEL. */
function tomlValue(value: EntryValue): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
  return `[${value.map(tomlValue).join(", ")}]`;
}

function sameKeys(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && startsWithKeys(one, other);
}

function startsWithKeys(keys: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => keys[index] === key);
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Headers and pairs in order; the text was parsed before, so its form is known to be right. */
function statements(text: string): Statement[] {
  const found: Statement[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = /\s*(?:#[^\n]*)?/y;
    rest.lastIndex = at;
    at += rest.exec(text)?.[0].length ?? 0;
    if (at >= text.length) break;
    if (text[at] === "#" || /\s/.test(text[at] as string)) continue;
    const start = at;
    if (text[at] === "[") {
      const { keys, end } = readKeys(text, at + (text[at + 1] === "[" ? 2 : 1));
      at = lineEnd(text, end);
      found.push({ kind: "table", keys, start, end: at, value: { start: end, end } });
    } else {
      const { keys, end } = readKeys(text, at);
      const value = readValue(text, end + 1);
      at = lineEnd(text, value.end);
      found.push({ kind: "pair", keys, start, end: at, value });
    }
  }
  return found;
}

/** Dotted key, bare or quoted, up to `]` or `=`. */
function readKeys(text: string, from: number): { keys: string[]; end: number } {
  const keys: string[] = [];
  const part = /[ \t]*(?:([\w-]+)|"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*(\.?)/y;
  part.lastIndex = from;
  for (let end = from;;) {
    const match = part.exec(text);
    if (match === null) return { keys, end };
    keys.push(match[1] ?? match[3] ?? JSON.parse(`"${match[2]}"`));
    end = part.lastIndex;
    if (match[4] === "") return { keys, end };
  }
}

/** Span of a value, without blanks and comment around it; it may reach over several lines. */
function readValue(text: string, from: number): { start: number; end: number } {
  const start = from + (/^[ \t]*/.exec(text.slice(from))?.[0].length ?? 0);
  const token = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[\s\S]/y;
  let depth = 0;
  let end = start;
  for (token.lastIndex = start; token.lastIndex < text.length;) {
    // The last alternative takes any character, so there is always a match.
    const found = token.exec(text)?.[0] ?? "";
    if (depth === 0 && (found === "\n" || found.startsWith("#"))) break;
    if (found === "[" || found === "{") depth++;
    if (found === "]" || found === "}") depth--;
    if (found.trim() !== "") end = token.lastIndex;
  }
  return { start, end };
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline < 0 ? text.length : newline + 1;
}
