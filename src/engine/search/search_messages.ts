/**
 * What the engine and its threads say to each other.
 *
 * One text search: `open` on every thread; one thread is asked to `walk` and answers with batches of files; batches are
 * handed to any thread by `scan`, answered by `scanned` in any order; `close` on every thread. A listing is one `list`,
 * answered by one `listed`. A `failed` may answer anything. `shared` is one 32-bit flag that stops the work when set.
 */

import type { GlobArguments } from "./glob_filter.ts";
import type { LineMatch, ScanOptions } from "./file_scanner.ts";
import type { OuterRules } from "./ignore_rules.ts";
import type { Query } from "./text_matcher.ts";
import type { WalkCounts } from "./walk_files.ts";

/** Which files there are. */
export interface WalkArguments {
  /** Directory, workspace-relative. */
  readonly base: string;
  readonly globs: GlobArguments;
  readonly includeHidden: boolean;
  readonly includeIgnored: boolean;
  readonly outer: OuterRules;
}

/** One text search, as each thread gets it. */
export interface SearchArguments {
  /** Canonical absolute root. */
  readonly root: string;
  readonly query: Query;
  readonly scan: ScanOptions;
  readonly walk: WalkArguments;
}

/** One listing. */
export interface ListArguments {
  /** Canonical absolute root. */
  readonly root: string;
  readonly walk: WalkArguments;
  /** Files passed over before the first one shown. */
  readonly offset: number;
  /** Most files of the page. */
  readonly limit: number;
  readonly order: "path" | "modified";
}

/** Files of one batch in order: a directory, its names joined by `/`, the next directory, and so on. */
export type Batch = readonly string[];

/** The matching lines of one file, in their order. */
export interface FileMatches {
  /** Workspace-relative. */
  readonly path: string;
  readonly lines: readonly LineMatch[];
}

/** What the scan of a batch found. */
export interface BatchResult {
  readonly matches: readonly FileMatches[];
  /** Paths of files that hold a NUL byte and were not searched. */
  readonly binary: readonly string[];
  /** Files that could not be opened or read, such as those that vanished since the walk. */
  readonly unreadable: number;
  /** Files that were searched. */
  readonly searched: number;
}

/** One file of a list. */
export interface ListedFile {
  readonly path: string;
  readonly type: "file" | "symlink";
  readonly sizeBytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  readonly isIgnored: boolean;
}

/** One page, as a thread makes it. */
export interface Listing {
  readonly files: readonly ListedFile[];
  /** Files found; at least so many when `isExact` is false. */
  readonly total: number;
  readonly isExact: boolean;
  readonly counts: WalkCounts;
}

/** What the engine tells a thread. */
export type ThreadRequest =
  | {
    readonly kind: "open";
    readonly task: number;
    readonly search: SearchArguments;
    readonly shared: SharedArrayBuffer;
  }
  | { readonly kind: "walk"; readonly task: number; readonly maxBatches: number }
  | { readonly kind: "scan"; readonly task: number; readonly index: number; readonly batch: Batch }
  | { readonly kind: "close"; readonly task: number }
  | { readonly kind: "list"; readonly task: number; readonly list: ListArguments; readonly shared: SharedArrayBuffer };

/** What a thread answers; `ready` comes first, unasked. */
export type ThreadReply =
  | { readonly kind: "ready" }
  | {
    readonly kind: "walked";
    readonly task: number;
    readonly batches: readonly Batch[];
    readonly isDone: boolean;
    readonly counts: WalkCounts;
  }
  | { readonly kind: "scanned"; readonly task: number; readonly index: number; readonly result: BatchResult }
  | { readonly kind: "listed"; readonly task: number; readonly listing: Listing }
  | { readonly kind: "failed"; readonly task: number; readonly fault: ThreadFault };

/** An error that crosses threads. `bad-pattern`: the query is at fault; `system`: errno, step and path of a call. */
export type ThreadFault =
  | { readonly kind: "bad-pattern"; readonly message: string }
  | { readonly kind: "system"; readonly errno: string; readonly step: string; readonly path: string }
  | { readonly kind: "bug"; readonly message: string };
