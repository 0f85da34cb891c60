/** Searching and listing the files of the workspace (contract 3.5, 3.6, O-45). */

import { availableParallelism } from "node:os";
import { clearTimeout, setTimeout } from "node:timers";
import { ioError, ToolError } from "../../base/tool_error.ts";
import { directoryOf, nameOf } from "../../base/tree_path.ts";
import { notADirectory } from "../workspace/path_errors.ts";
import type { ResolvedPath, Workspace } from "../workspace/workspace.ts";
import { type GlobArguments, GlobFilter } from "./glob_filter.ts";
import type { OuterRules } from "./ignore_rules.ts";
import { ListTask } from "./list_task.ts";
import type { FileMatches, Listing, ThreadFault } from "./search_messages.ts";
import type { Query } from "./text_matcher.ts";
import { type SearchFindings, TextSearch } from "./text_search.ts";
import { type PoolTask, ThreadPool } from "./thread_pool.ts";

/** What it searches, and on which threads. */
export interface SearchEngineOptions {
  readonly workspace: Workspace;
  /** Entry that serves the role `search` in a Worker; null: everything on this thread. */
  readonly entryUrl: string | null;
  /** Ignore rules from outside the workspace; asked for by each call. */
  readonly outerRules: () => Promise<OuterRules>;
  /** Threads; the cores of the machine up to 4 when not given. */
  readonly threads?: number;
}

/** One page of a text search. */
export interface TextRequest extends Query {
  /** As the caller spelled it; a file or a directory. */
  readonly path: string;
  readonly globs: GlobArguments;
  readonly contextLines: number;
  /** UTF-8 bytes of one shown line. */
  readonly maxPreviewBytes: number;
  /** Matching lines passed over, and shown after them. */
  readonly offset: number;
  readonly maxResults: number;
}

/** The page, and what the search left out. */
export interface TextAnswer extends Omit<SearchFindings, "matches"> {
  /** Workspace-relative resolved path. */
  readonly path: string;
  /** The lines from `offset` on, at most `maxResults`. */
  readonly matches: readonly FileMatches[];
}

/** One page of a list of files. */
export interface ListRequest {
  /** As the caller spelled it; a directory. */
  readonly path: string;
  readonly globs: GlobArguments;
  readonly includeHidden: boolean;
  readonly includeIgnored: boolean;
  /** Files passed over before the first one shown. */
  readonly offset: number;
  readonly maxResults: number;
  /** `modified`: oldest first. */
  readonly order: "path" | "modified";
}

/** The page, and what the walk left out. */
export interface ListAnswer extends Listing {
  /** Workspace-relative resolved path. */
  readonly path: string;
  /** Files that match but are hidden or ignored; only looked for when nothing else was found, and at most `LEFT_OUT_LIMIT`. */
  readonly leftOut: number;
}

/** How the call is stopped and watched. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** Told the number of files searched so far. */
  readonly progressed?: (searched: number) => void;
}

/** Threads at most: more do not help a page cache, and each takes memory (O-45). */
const MAX_THREADS = 4;
/** Contract 3.6. */
const TIME_LIMIT_MS = 10_000;
/** Left-out files counted before the note says "at least". */
const LEFT_OUT_LIMIT = 1_000;
/** How long an empty listing looks for the files that were left out. */
const LEFT_OUT_LIMIT_MS = 500;

/** One per run; its threads end when idle, and with `close`. */
export class SearchEngine {
  readonly #options: SearchEngineOptions;
  readonly #pool: ThreadPool;
  #nextId = 1;

  constructor(options: SearchEngineOptions) {
    this.#options = options;
    const maxThreads = options.threads ?? Math.min(MAX_THREADS, Math.max(1, availableParallelism()));
    this.#pool = new ThreadPool({ entryUrl: options.entryUrl, maxThreads });
  }

  /** @throws ToolError path codes; INVALID_ARGUMENT for a bad glob or pattern, a query with a line feed, a special file */
  async searchText(request: TextRequest, call: CallOptions): Promise<TextAnswer> {
    if (!request.isRegex && request.query.includes("\n")) throw lineFeedInQuery();
    GlobFilter.compile(request.globs);
    const place = this.#options.workspace.resolveExisting(request.path, { emptyIsRoot: true });
    if (place.kind !== "directory" && place.kind !== "file") throw notSearchable(request.path, place);
    const enoughLines = request.offset + request.maxResults + 1;
    const findings = await this.#search(place, { request, enoughLines, call });
    return { ...findings, path: place.path, matches: pageOf(findings.matches, request.offset, request.maxResults) };
  }

  /** @throws ToolError path codes, NOT_A_DIRECTORY; INVALID_ARGUMENT for a bad glob */
  async listFiles(request: ListRequest, call: CallOptions): Promise<ListAnswer> {
    GlobFilter.compile(request.globs);
    const place = this.#options.workspace.resolveExisting(request.path, { emptyIsRoot: true });
    if (place.kind !== "directory") throw notADirectory(request.path, place.kind);
    const listing = await this.#list(place.path, request, call);
    const isFiltered = listing.counts.hidden + listing.counts.ignored > 0;
    const leftOut = listing.total === 0 && isFiltered && !(request.includeHidden && request.includeIgnored)
      ? await this.#countLeftOut(place.path, request, call)
      : 0;
    return { ...listing, path: place.path, leftOut };
  }

  /** Ends all threads. Safe to call twice; a later call starts new ones. */
  close(): void {
    this.#pool.close();
  }

  #search(
    place: ResolvedPath,
    { request, enoughLines, call }: { request: TextRequest; enoughLines: number; call: CallOptions },
  ): Promise<SearchFindings> {
    const { query, isRegex, isCaseSensitive, contextLines, maxPreviewBytes, globs } = request;
    return this.#perform<SearchFindings>(request.path, call, (outer, { done, failed }) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const task = new TextSearch({
        id: this.#nextId++,
        file: place.kind === "file" ? [directoryOf(place.path), nameOf(place.path)] : null,
        enoughLines,
        arguments: {
          root: this.#options.workspace.root,
          query: { query, isRegex, isCaseSensitive },
          scan: { contextLines, maxPreviewBytes, limitLines: enoughLines },
          walk: { base: place.path, globs, includeHidden: false, includeIgnored: false, outer },
        },
        started: () => timer = setTimeout(() => task.timeOut(), TIME_LIMIT_MS),
        ended: () => clearTimeout(timer),
        done,
        failed,
        progressed: call.progressed ?? (() => {}),
      });
      return task;
    });
  }

  #list(base: string, request: ListRequest, call: CallOptions): Promise<Listing> {
    const { globs, includeHidden, includeIgnored, offset, maxResults, order } = request;
    return this.#perform<Listing>(request.path, call, (outer, { done, failed }) => {
      const walk = { base, globs, includeHidden, includeIgnored, outer };
      const list = { root: this.#options.workspace.root, walk, offset, limit: maxResults, order };
      return new ListTask({ id: this.#nextId++, list, done, failed });
    });
  }

  /** Runs a task on the pool until it is done, fails or is cancelled. `spelled` is the path that the caller gave. */
  async #perform<T>(
    spelled: string,
    { signal }: CallOptions,
    makeTask: (outer: OuterRules, ends: TaskEnds<T>) => CancellableTask,
  ): Promise<T> {
    this.#pool.warm();
    const outer = await this.#options.outerRules();
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const task = makeTask(outer, { done: resolve, failed: (fault) => reject(errorOf(fault, spelled)) });
    const cancel = () => {
      task.cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", cancel);
    this.#pool.add(task);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#pool.remove(task);
    }
  }

  async #countLeftOut(base: string, request: ListRequest, call: CallOptions): Promise<number> {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LEFT_OUT_LIMIT_MS)]);
    const everything = { ...request, includeHidden: true, includeIgnored: true, offset: 0, maxResults: LEFT_OUT_LIMIT };
    try {
      return (await this.#list(base, { ...everything, order: "path" }, { signal })).total;
    } catch (fault) {
      call.signal.throwIfAborted();
      // Too much was left out to look through: the general counts must do.
      if (signal.aborted) return 0;
      throw fault;
    }
  }
}

interface CancellableTask extends PoolTask {
  /** Stops the work; nothing is answered. */
  cancel(): void;
}

interface TaskEnds<T> {
  done(value: T): void;
  failed(fault: ThreadFault): void;
}

/** Lines `offset` to `offset + limit` of all matches, file by file. */
function pageOf(matches: readonly FileMatches[], offset: number, limit: number): FileMatches[] {
  const page: FileMatches[] = [];
  let skip = offset;
  let room = limit;
  for (const file of matches) {
    const lines = file.lines.slice(skip, skip + room);
    skip = Math.max(0, skip - file.lines.length);
    room -= lines.length;
    if (lines.length > 0) page.push({ path: file.path, lines });
  }
  return page;
}

function lineFeedInQuery(): ToolError {
  return new ToolError(
    "INVALID_ARGUMENT",
    "Cannot search for a text with a line feed: lines are searched one at a time",
    {
      details: { argument: "query", retry_hint: "Search for the most telling one of its lines." },
    },
  );
}

function notSearchable(spelled: string, place: ResolvedPath): ToolError {
  return new ToolError("INVALID_ARGUMENT", `Cannot search ${spelled}: it is a ${place.kind}, not a file or directory`, {
    details: { argument: "path", kind: place.kind },
  });
}

function errorOf(fault: ThreadFault, spelled: string): Error {
  switch (fault.kind) {
    case "bad-pattern":
      return new ToolError("INVALID_ARGUMENT", `Invalid regex: ${fault.message}`, {
        details: { argument: "query", retry_hint: "Set regex to false to search for the text as it stands." },
      });
    case "system":
      return ioError({ path: spelled, errno: fault.errno, step: fault.step });
    case "bug":
      return new Error(fault.message);
  }
}
