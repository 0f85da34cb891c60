/** Editing one server entry in the text of a configuration file; whatever else stands there stays byte for byte. */

import type { EntryValue } from "./client.ts";

/** What one format needs so that an entry can be changed in its text. */
export interface ConfigText {
  /** Whole document as plain values. @throws ConfigTextFault when it cannot be read */
  parse(text: string): unknown;
  /** Text in which `entry` stands at `path`: keys of an existing entry that `entry` does not name stay. @throws ConfigTextFault */
  put(text: string, path: readonly string[], entry: Readonly<Record<string, EntryValue>>): string;
  /** Text without what stands at `path`. @throws ConfigTextFault */
  remove(text: string, path: readonly string[]): string;
}

/** A file that cannot be edited safely, in words for the person who owns it. */
export class ConfigTextFault extends Error {
  override readonly name = "ConfigTextFault";
}

/** What stands at `path` in a parsed document; undefined: nothing. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value: unknown = document;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The document without what stands at `path`; objects above it are left out when nothing else is in them. */
export function withoutPath(document: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isRecord(document)) return document;
  const { [key]: inner, ...others } = document;
  const remains = rest.length === 0 ? undefined : withoutPath(inner, rest);
  if (remains === undefined || (isRecord(remains) && Object.keys(remains).length === 0)) return others;
  return { ...others, [key]: remains };
}

/** True for objects that are no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
