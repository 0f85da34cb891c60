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
  for (;;) {
    const filled = readDirectoryRecords(libc, fd, records);
    if (filled === 0) return;
    // Parsed before anybody else can run, so all directories share one buffer: a fresh one each is 32 KiB of garbage.
    yield parseRecords(filled);
  }
}

/** 32 KiB, as glibc's readdir uses: about a thousand names, well under a millisecond of work. */
const BATCH_BYTES = 32 * 1024;
const NAME_AT = 19;

const records = new Uint8Array(BATCH_BYTES);

function parseRecords(filled: number): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at < filled;) {
    const length = (records[at + 16] as number) | ((records[at + 17] as number) << 8);
    const name = nameAt(at + NAME_AT);
    if (name !== "." && name !== "..") {
      entries.push({ name, kind: kindOfDirectoryType(records[at + 18] as number) });
    }
    at += length;
  }
  return entries;
}

function nameAt(start: number): string {
  const codes: number[] = [];
  for (let end = start;; end++) {
    const byte = records[end] as number;
    if (byte === 0) return String.fromCharCode.apply(null, codes);
    // Plain ASCII without a backslash is its own text; everything else takes the long way.
    if (byte >= 0x80 || byte === 0x5c) return pathToText(records.subarray(start, records.indexOf(0, end)));
    codes.push(byte);
  }
}
