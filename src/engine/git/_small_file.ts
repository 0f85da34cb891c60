/** Reads the small text files of a git directory. */

import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** 1 MiB: configuration files and pointers are a few KiB; more is not worth the memory. */
export const SMALL_FILE_BYTES = 1024 * 1024;

/**
 * Text of a regular file, at most its first 1 MiB; undefined when there is none.
 *
 * Security: opened without waiting, so that a FIFO in place of the file cannot hang the server.
 */
export function readSmallFile(path: string): string | undefined {
  const bytes = readSmallBytes(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/**
 * Text of a file that holds paths; undefined when there is none, null when git might read another path in it than we do.
 *
 * Security: git stops at a NUL, keeps a byte order mark and bytes that are not UTF-8, and reads to the end.
 */
export function readPathFile(path: string): string | undefined | null {
  const bytes = readSmallBytes(path);
  if (bytes === undefined) return undefined;
  if (bytes.length >= SMALL_FILE_BYTES || bytes.includes(0) || !isUtf8(bytes)) return null;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function readSmallBytes(path: string): Uint8Array | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // Missing or unreadable: git will say so itself where it matters.
    return undefined;
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) return undefined;
    const bytes = new Uint8Array(Math.min(stats.size, SMALL_FILE_BYTES));
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(handle);
  }
}

/** Longest line looked at, in UTF-16 units: a path has at most 4096 bytes. */
const LINE_UNITS = 5_000;

/**
 * Values of a variable in configuration text, in order, whatever its section (git-config(1), "Syntax"); one surrounding
 * pair of quotation marks is taken off.
 *
 * Security: line by line and without backtracking, because the text may be a hostile megabyte.
 */
export function configLines(text: string, variable: string): string[] {
  const values: string[] = [];
  for (const line of text.split("\n")) {
    if (line.length > LINE_UNITS) continue;
    const equals = line.indexOf("=");
    if (equals < 0 || line.slice(0, equals).trim().toLowerCase() !== variable) continue;
    const value = line.slice(equals + 1).trim();
    values.push(value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value);
  }
  return values;
}
