/** The work of one search thread: walks, scans and lists as it is told. */

import { pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import { createSourceReader, type SourceReader } from "../../platform/source_reader.ts";
import { openTree, type Tree } from "../../platform/tree.ts";
import { FileScanner } from "./file_scanner.ts";
import { GlobFilter } from "./glob_filter.ts";
import { LastDirectory } from "./last_directory.ts";
import { listTree } from "./list_tree.ts";
import { UnicodeFacts } from "./regex/code_points.ts";
import { RegexError } from "./regex/regex_error.ts";
import { ScanKernel } from "./scan_kernel.ts";
import type {
  Batch,
  BatchResult,
  FileMatches,
  SearchArguments,
  ThreadFault,
  ThreadReply,
  ThreadRequest,
  WalkArguments,
} from "./search_messages.ts";
import { TextMatcher } from "./text_matcher.ts";
import { type WalkCounts, walkFiles } from "./walk_files.ts";

/** Global scope of a Worker, as far as it is used here. */
export interface WorkerScope {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** Serves requests that come to the Worker whose scope this is. */
export function serveSearchRole(scope: WorkerScope): void {
  const role = new SearchRole((reply) => scope.postMessage(reply));
  scope.onmessage = (event) => role.handle(event.data as ThreadRequest);
  scope.postMessage({ kind: "ready" } satisfies ThreadReply);
}

/** Files of a batch: small at first so that all threads start at once and an early end is early, then larger. */
const FIRST_BATCH_FILES = 16;
const LAST_BATCH_FILES = 256;

/** Longest walk at one time, so that what was found is scanned meanwhile and other tasks get their turn. */
const WALK_SLICE_MS = 20;
/** Entries between two looks at the clock. */
const CLOCK_STEPS = 64;

/** One per thread; keeps open searches until they are closed. */
export class SearchRole {
  readonly #reply: (reply: ThreadReply) => void;
  readonly #searches = new Map<number, OpenSearch>();
  readonly #unicode = new UnicodeFacts();
  #kernel: ScanKernel | undefined;
  #reader: SourceReader | undefined;

  constructor(reply: (reply: ThreadReply) => void) {
    this.#reply = reply;
  }

  /** Does what `request` asks and replies once, except to `open` and `close`; an `open` that fails replies. */
  handle(request: ThreadRequest): void {
    try {
      this.#perform(request);
    } catch (fault) {
      this.#reply({ kind: "failed", task: request.task, fault: faultOf(fault) });
    }
  }

  #perform(request: ThreadRequest): void {
    const { task } = request;
    switch (request.kind) {
      case "open": {
        this.#kernel ??= new ScanKernel();
        this.#reader ??= createSourceReader();
        const rooms = { kernel: this.#kernel, reader: this.#reader, unicode: this.#unicode };
        this.#searches.set(task, new OpenSearch(request.search, request.shared, rooms));
        return;
      }
      case "close":
        this.#searches.get(task)?.close();
        this.#searches.delete(task);
        return;
      case "walk": {
        const search = this.#searches.get(task);
        if (search !== undefined) this.#reply({ kind: "walked", task, ...search.walk(request.maxBatches) });
        return;
      }
      case "scan": {
        const search = this.#searches.get(task);
        if (search === undefined) return;
        this.#reply({ kind: "scanned", task, index: request.index, result: search.scan(request.batch) });
        return;
      }
      case "list": {
        using tree = openTree(request.list.root);
        const flag = new Int32Array(request.shared);
        const listing = listTree(tree, request.list, () => Atomics.load(flag, 0) !== 0);
        this.#reply({ kind: "listed", task, listing });
      }
    }
  }
}

interface Rooms {
  readonly kernel: ScanKernel;
  readonly reader: SourceReader;
  readonly unicode: UnicodeFacts;
}

/** One search on this thread. */
class OpenSearch {
  readonly #arguments: SearchArguments;
  readonly #tree: Tree;
  readonly #directory: LastDirectory;
  readonly #matcher: TextMatcher;
  readonly #scanner: FileScanner;
  readonly #reader: SourceReader;
  readonly #flag: Int32Array;
  readonly #counts: WalkCounts = { hidden: 0, ignored: 0, unreadable: 0 };
  #walk: ReturnType<typeof walkFiles> | undefined;
  #batchFiles = FIRST_BATCH_FILES;

  constructor(search: SearchArguments, shared: SharedArrayBuffer, { kernel, reader, unicode }: Rooms) {
    this.#arguments = search;
    this.#flag = new Int32Array(shared);
    this.#matcher = new TextMatcher(kernel, search.query, { unicode, shouldStop: () => this.#isStopped });
    this.#scanner = new FileScanner(kernel);
    this.#reader = reader;
    this.#tree = openTree(search.root);
    this.#directory = new LastDirectory(this.#tree);
  }

  get #isStopped(): boolean {
    return Atomics.load(this.#flag, 0) !== 0;
  }

  /** The next files, as at most `maxBatches` batches; fewer, or none, when they are far between. */
  walk(maxBatches: number): { batches: Batch[]; isDone: boolean; counts: WalkCounts } {
    this.#walk ??= walkFiles(this.#tree, walkRequestOf(this.#arguments.walk, this.#counts));
    const batches: Batch[] = [];
    let batch = new BatchBuilder();
    let isDone = false;
    const until = performance.now() + WALK_SLICE_MS;
    for (let steps = 1; batches.length < maxBatches && !this.#isStopped; steps++) {
      if (steps % CLOCK_STEPS === 0 && performance.now() >= until) break;
      const step = this.#walk.next();
      if (step.done === true) {
        isDone = true;
        break;
      }
      // Symlinks lead to files that the walk meets itself, or outside; special files are never opened.
      if (step.value?.kind === "file") batch.add(step.value.directory, step.value.name);
      if (batch.files >= this.#batchFiles) {
        batches.push(batch.finish());
        batch = new BatchBuilder();
        this.#batchFiles = Math.min(this.#batchFiles * 2, LAST_BATCH_FILES);
      }
    }
    if (batch.files > 0) batches.push(batch.finish());
    return { batches, isDone, counts: { ...this.#counts } };
  }

  scan(batch: Batch): BatchResult {
    const matches: FileMatches[] = [];
    const binary: string[] = [];
    let unreadable = 0;
    let searched = 0;
    let lines = 0;
    for (let at = 0; at < batch.length; at += 2) {
      const directory = batch[at] as string;
      for (const name of (batch[at + 1] as string).split("/")) {
        if (this.#isStopped || lines >= this.#arguments.scan.limitLines) break;
        const found = this.#scanFile(directory, name);
        if (found === "unreadable") unreadable++;
        else if (found === null) binary.push(pathIn(directory, name));
        else {
          searched++;
          if (found.length > 0) matches.push({ path: pathIn(directory, name), lines: found });
          lines += found.length;
        }
      }
    }
    return { matches, binary, unreadable, searched };
  }

  close(): void {
    this.#directory[Symbol.dispose]();
    this.#tree.close();
  }

  #scanFile(directory: string, name: string): ReturnType<FileScanner["scan"]> | "unreadable" {
    try {
      const file = this.#reader.open(this.#directory.open(directory), name);
      try {
        return this.#scanner.scan(file, this.#matcher, this.#arguments.scan);
      } finally {
        file.close();
      }
    } catch (fault) {
      if (fault instanceof SystemError) return "unreadable";
      throw fault;
    }
  }
}

class BatchBuilder {
  readonly #parts: string[] = [];
  #directory: string | undefined;
  #names: string[] = [];
  files = 0;

  add(directory: string, name: string): void {
    if (directory !== this.#directory) {
      this.#flush();
      this.#directory = directory;
    }
    this.#names.push(name);
    this.files++;
  }

  finish(): Batch {
    this.#flush();
    return this.#parts;
  }

  #flush(): void {
    if (this.#names.length > 0) this.#parts.push(this.#directory as string, this.#names.join("/"));
    this.#names = [];
  }
}

/** The request of `walkFiles`; what is left out is counted in `counts`. */
function walkRequestOf(walk: WalkArguments, counts: WalkCounts): Parameters<typeof walkFiles>[1] {
  return { ...walk, globs: GlobFilter.compile(walk.globs).at(walk.base), counts };
}

function faultOf(fault: unknown): ThreadFault {
  if (fault instanceof RegexError) return { kind: "bad-pattern", message: fault.message };
  if (fault instanceof SystemError) {
    return { kind: "system", errno: fault.errno, step: fault.step, path: fault.path };
  }
  return { kind: "bug", message: fault instanceof Error ? fault.stack ?? fault.message : String(fault) };
}
