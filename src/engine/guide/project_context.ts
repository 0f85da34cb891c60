/**
 * What the project tells every agent, as text for `instructions` (contract 9.1, 9.2).
 *
 * It is part of the first answer of a server, so it loads what reads files only when there is a file to read.
 */

import { decodeUtf8, takePrefixWithin, utf8Length } from "../../base/utf8.ts";
import type { QuickFacts, QuickFiles } from "../../platform/quick_files.ts";
import type { ProjectContextFiles } from "../server_facts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { findNestedFiles, type NestedFiles } from "./find_nested_files.ts";
import { importedPaths } from "./imported_paths.ts";
import { INSTRUCTION_NAMES, OTHER_GUIDANCE_DIRECTORIES, OTHER_GUIDANCE_FILES } from "./instruction_names.ts";
import { shareBytes } from "./share_bytes.ts";

/** Bytes of one root file, and of all together (contract 9.1). */
const MAX_FILE_BYTES = 16_384;
const MAX_TOTAL_BYTES = 32_768;
/** Bytes of one list of paths or warnings. */
const MAX_LIST_BYTES = 8_192;
/** Nested files that are named. */
const MAX_NESTED = 64;
/** Longest wait of an answer for the search below the root; it goes on, and the next answer has its result. */
const NESTED_WAIT_MS = 150;
/** Names in the root beyond which it costs less to ask for each file of ours than to look through the names. */
const MAX_TOP_NAMES = 1_000;
/** Age up to which the list of nested files is taken to be current. */
const NESTED_FRESH_MS = 5_000;

/** What it looks at, and with which clock. */
export interface ProjectContextOptions {
  /** Canonical workspace root. */
  readonly root: string;
  readonly files: QuickFiles;
  /** The workspace, made when there is a file to read. */
  readonly workspace: () => Promise<Workspace>;
  /** Clock in milliseconds. */
  readonly now?: () => number;
}

interface RootFile {
  readonly name: string;
  readonly text: string;
  readonly isCut: boolean;
  readonly imports: readonly string[];
}

interface RootFiles {
  readonly files: readonly RootFile[];
  readonly warnings: readonly string[];
}

interface NestedSearch {
  readonly startedAt: number;
  readonly found: Promise<NestedFiles>;
  /** What was found, once it is known. */
  value?: NestedFiles;
}

/** Remembers the files of the root until one of them changes, and looks for nested ones once in a while. */
export class ProjectContext {
  readonly #options: ProjectContextOptions;
  #root: { readonly signature: string; readonly loaded: Promise<RootFiles> } | undefined;
  #nested: NestedSearch | undefined;

  constructor(options: ProjectContextOptions) {
    this.#options = options;
  }

  /** The blocks of contract 9.2 after the general ones; empty for a project without guidance. Never rejects. */
  async text(): Promise<string> {
    const { files, warnings } = await this.#rootFiles();
    const nested = await this.#nestedWithin(NESTED_WAIT_MS);
    const blocks = files.map(fileBlock);
    const imports = [...new Set(files.flatMap((file) => file.imports))];
    if (imports.length > 0) blocks.push(list("Further reading that these files name (read_file):", imports));
    if (nested.paths.length > 0) {
      const lead = "Before you change files below one of these directories, read its file with read_file; " +
        "workspace_guide names the files that apply to a path:";
      blocks.push(list(lead, nested.paths));
    }
    const others = this.#otherGuidance();
    if (others.length > 0) blocks.push(list("Guidance written for other agents, not included here:", others));
    const allWarnings = [...warnings, ...nested.warnings];
    if (allWarnings.length > 0) blocks.push(list("Project-context warnings:", allWarnings));
    return blocks.join("\n\n");
  }

  /** The files that were found, for `server_info`. */
  async found(): Promise<ProjectContextFiles> {
    const { files, warnings } = await this.#rootFiles();
    const nested = await this.#nestedWithin(NESTED_WAIT_MS);
    return {
      root_instruction_files: files.map(({ name }) => name),
      nested_instruction_files: nested.paths,
      warnings: [...warnings, ...nested.warnings],
    };
  }

  /** Reads the root files again when one of them changed. */
  #rootFiles(): Promise<RootFiles> {
    const facts = this.#rootFacts();
    const present = INSTRUCTION_NAMES.flatMap((name) => {
      const found = facts(name);
      return found === null ? [] : [{ name, facts: found }];
    });
    const signature = JSON.stringify(present);
    // A link's own facts say nothing about its target: then the file is read every time.
    const isKnown = this.#root?.signature === signature && present.every(({ facts }) => facts.kind !== "symlink");
    if (this.#root === undefined || !isKnown) this.#root = { signature, loaded: this.#load(present) };
    return this.#root.loaded;
  }

  async #load(present: readonly { name: string; facts: QuickFacts }[]): Promise<RootFiles> {
    if (present.length === 0) return { files: [], warnings: [] };
    const { readInstructionFile } = await import("./read_instruction_file.ts");
    const workspace = await this.#options.workspace();
    const warnings: string[] = [];
    const seen = new Set<string>();
    const read: { name: string; text: string }[] = [];
    for (const { name } of present) {
      const file = readInstructionFile(workspace, name);
      if (file.kind === "skipped") warnings.push(`Skipped root instruction file ${name}: ${file.reason}`);
      else if (!seen.has(file.identity)) {
        seen.add(file.identity);
        read.push({ name, text: decodeUtf8(file.bytes).replace(/^\ufeff/, "") });
      }
    }
    const sizes = read.map(({ text }) => utf8Length(text));
    const shares = shareBytes(sizes.map((size) => Math.min(size, MAX_FILE_BYTES)), MAX_TOTAL_BYTES);
    const files = read.map(({ name, text }, index) => {
      const shown = takePrefixWithin(text, shares[index] as number);
      const isCut = shown.length < text.length;
      if (isCut) {
        warnings.push(`${name} is longer than its share of ${shares[index]} bytes; read the rest with read_file`);
      }
      return { name, text: shown.trimEnd(), isCut, imports: importsOf(name, text, this.#options) };
    });
    return { files, warnings };
  }

  async #nestedWithin(limitMs: number): Promise<NestedFiles> {
    const now = this.#options.now?.() ?? performance.now();
    if (this.#nested === undefined || now - this.#nested.startedAt > NESTED_FRESH_MS) {
      const search: NestedSearch = { startedAt: now, found: this.#searchNested() };
      search.found.then((found) => (search.value = found), () => {});
      this.#nested = search;
    }
    // A small workspace is searched without a pause: its result is there after a few turns, and no timer is started.
    for (let turn = 0; turn < 4 && this.#nested.value === undefined; turn++) await null;
    if (this.#nested.value !== undefined) return this.#nested.value;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<NestedFiles>((resolve) => {
      timer = setTimeout(() => resolve({ paths: [], warnings: [STILL_SEARCHING] }), limitMs);
    });
    const found = await Promise.race([this.#nested.found, late]);
    clearTimeout(timer);
    return found;
  }

  async #searchNested(): Promise<NestedFiles> {
    const { root, files, workspace } = this.#options;
    const { paths, warnings } = await findNestedFiles(root, files);
    if (paths.length === 0) return { paths, warnings };
    const { usableFiles } = await import("./usable_files.ts");
    const kept = usableFiles(await workspace(), paths);
    if (kept.length <= MAX_NESTED) return { paths: kept, warnings };
    return {
      paths: kept.slice(0, MAX_NESTED),
      warnings: [...warnings, `Nested instruction list truncated to ${MAX_NESTED} files.`],
    };
  }

  #otherGuidance(): string[] {
    const facts = this.#rootFacts();
    const single = OTHER_GUIDANCE_FILES.filter((path) => facts(path)?.kind === "file");
    const directories = OTHER_GUIDANCE_DIRECTORIES.filter(({ path }) => facts(path)?.kind === "directory");
    return [...single, ...directories.map(({ path }) => `${path}/`)];
  }

  /** Facts by path below the root. Asking the system for what is not there costs most, so the root is listed first. */
  #rootFacts(): (path: string) => QuickFacts | null {
    const { root, files } = this.#options;
    const names = files.names(root);
    // Some file systems take names for equal that differ in case; what may be meant is asked for.
    const top = names === null || names.length > MAX_TOP_NAMES
      ? null
      : new Set(names.map((name) => name.toLowerCase()));
    return (path) => {
      const [first = ""] = path.toLowerCase().split("/", 1);
      return top === null || top.has(first) ? files.facts(`${root}/${path}`) : null;
    };
  }
}

const STILL_SEARCHING =
  "The search for nested instruction files is still running; workspace_guide names those of a path.";

function fileBlock({ name, text, isCut }: RootFile): string {
  return `Project instructions from ${name}${isCut ? " [truncated]" : ""}:\n${text}`;
}

/** Long names must not crowd out the instructions themselves. */
function list(lead: string, items: readonly string[]): string {
  const lines: string[] = [];
  let left = MAX_LIST_BYTES;
  for (const item of items) {
    const line = `- ${oneLine(item)}`;
    left -= utf8Length(line) + 1;
    if (left < 0) {
      lines.push(`- … ${items.length - lines.length} more`);
      break;
    }
    lines.push(line);
  }
  return [lead, ...lines].join("\n");
}

/** A path with control characters as a JSON string, so that it stays one line and one path. */
function oneLine(path: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what it looks for.
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path;
}

/** Only files that are there, and not the file itself: `@someone` in a sentence is no reference. */
function importsOf(name: string, text: string, { root, files }: ProjectContextOptions): string[] {
  return importedPaths(text).map((path) => path.replace(/^\.\//, "")).filter((path) => {
    const leaves = path.startsWith("/") || path.startsWith("~") || path.split("/").includes("..");
    return !leaves && path !== name && files.facts(`${root}/${path}`)?.kind === "file";
  });
}
