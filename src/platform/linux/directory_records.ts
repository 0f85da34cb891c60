/**
 * Entries of a directory from getdents64(2).
 *
 * Record: u64 inode, i64 offset, u16 record length, u8 type, name ending in NUL. Names come as bytes, so one that is not
 * UTF-8 is listed like any other.
 */

import { pathToText } from "../../base/path_text.ts";
import { kindOfDirectoryType } from "../file_facts.ts";
import type { DirectoryEntry } from "../tree.ts";
import { type FileLibc, readDirectoryRecords } from "./file_calls.ts";

/** Entries of the directory open at `fd`, one batch per system call. */
export function* directoryBatches(libc: FileLibc, fd: number): Generator<readonly DirectoryEntry[]> {
  const records = new Uint8Array(BATCH_BYTES);
  for (;;) {
    const filled = readDirectoryRecords(libc, fd, records);
    if (filled === 0) return;
    yield parseRecords(records.subarray(0, filled));
  }
}

/** 32 KiB, as glibc's readdir uses: about a thousand names, well under a millisecond of work. */
const BATCH_BYTES = 32 * 1024;
const NAME_AT = 19;

function parseRecords(records: Uint8Array<ArrayBuffer>): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at < records.length;) {
    const length = (records[at + 16] as number) | ((records[at + 17] as number) << 8);
    const name = nameAt(records, at + NAME_AT);
    if (name !== "." && name !== "..") {
      entries.push({ name, kind: kindOfDirectoryType(records[at + 18] as number) });
    }
    at += length;
  }
  return entries;
}

function nameAt(records: Uint8Array<ArrayBuffer>, start: number): string {
  let end = start;
  let text = "";
  for (;; end++) {
    const byte = records[end] as number;
    if (byte === 0) return text;
    // Plain ASCII without a backslash is its own text; joining characters beats a decoder call for short names.
    if (byte >= 0x80 || byte === 0x5c) break;
    text += ASCII[byte] as string;
  }
  return pathToText(records.subarray(start, records.indexOf(0, end)));
}

const ASCII: readonly string[] = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
