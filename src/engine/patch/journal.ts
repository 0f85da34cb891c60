/**
 * What a commit is about to do, in enough detail to finish or undo it from the outside (O-24).
 *
 * ```
 * journal = JSON LF sha256-of-JSON LF
 * ```
 * A journal whose digest does not fit was torn before it was on the disk, and so before the first rename.
 */

import { createHash } from "node:crypto";

/** What tells one version of a file from another. */
export interface FileState {
  /** SHA-256 of its bytes; the kind of the object where it is no file. */
  readonly revision: string;
  /** The twelve permission bits. */
  readonly mode: number;
}

/** One file of the commit. */
export interface JournalEntry {
  /** Relative to the root. */
  readonly path: string;
  /** Null when the file did not exist. */
  readonly before: FileState | null;
  /** Null when it is removed. */
  readonly after: FileState | null;
  /** Name in the file's directory where the new content waits; null when it is removed. */
  readonly temp: string | null;
  /** Name in the file's directory that keeps the old content; null when none is needed. */
  readonly backup: string | null;
}

/** The whole commit. */
export interface Journal {
  readonly version: 1;
  /** Canonical absolute root of the workspace, against a journal of another one. */
  readonly root: string;
  /** The process that wrote it, for people. */
  readonly pid: number;
  readonly entries: readonly JournalEntry[];
  /** Directories that the commit makes, outer before inner. */
  readonly directories: readonly string[];
}

/** The text of the file, with its digest. */
export function formatJournal(journal: Journal): string {
  const body = JSON.stringify(journal);
  return `${body}\n${digest(body)}\n`;
}

/** Null for a torn journal, or one of a version this program does not know. */
export function parseJournal(text: string): Journal | null {
  const [body, sum] = text.split("\n");
  if (body === undefined || sum !== digest(body)) return null;
  const journal = JSON.parse(body) as Journal;
  return journal.version === 1 ? journal : null;
}

function digest(body: string): string {
  return createHash("sha256").update(body).digest("hex");
}
