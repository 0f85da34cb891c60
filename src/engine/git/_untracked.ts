/** Shows untracked files as additions, in git's own format but without starting git for each. */

import { createHash } from "node:crypto";
import { Pacer } from "../../base/pacer.ts";
import { pathToBytes } from "../../base/path_text.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { splitPathFields } from "./_bytes.ts";
import { readOpen } from "./_read_open.ts";
import type { BoundedText } from "./bounded_text.ts";
import type { Git, OpenRepository } from "./git.ts";
import { pathspecArguments } from "./git_path.ts";
import { type FileChange, quoted } from "./patch_reader.ts";

/** Files read for their counts once the text is full, beside the bound on their bytes; the rest are only named. */
const MAX_COUNTED = 100;
/** 16 MiB: files above are named but not shown, whatever text could hold. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** git calls a file binary when its first 8000 bytes hold a NUL (xdiff-interface.c). */
const BINARY_PROBE_BYTES = 8_000;

/** The untracked files as a diff lists them; their text went into the page. */
export interface Untracked {
  readonly files: FileChange[];
  readonly warnings: string[];
}

/** Names of untracked files below `paths`, relative to where git runs; a nested repository ends in `/`. */
export async function listUntracked(
  git: Git,
  repository: OpenRepository,
  { paths, signal }: { paths: readonly string[]; signal: AbortSignal },
): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--exclude-standard", ...pathspecArguments(repository, paths)];
  return splitPathFields(await git.read(repository, args, { signal }));
}

/** Where the text goes and how much of a file is looked at. */
export interface ShowOptions {
  readonly workspace: Workspace;
  readonly text: BoundedText;
  /** Of all files that are counted behind the page; the rest is only named. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Adds the files to `text` until that is full. Further files, 100 with `maxBytes` in all, are counted, and the rest only
 * named: the page that continues shows them.
 */
export async function showUntracked(
  repository: OpenRepository,
  names: readonly string[],
  { workspace, text, maxBytes, signal }: ShowOptions,
): Promise<Untracked> {
  const files: FileChange[] = [];
  const warnings: string[] = [];
  const pacer = new Pacer();
  let countedBytes = 0;
  let counted = 0;
  let named = 0;
  for (const name of names) {
    if (pacer.isDue) await pacer.rest(signal);
    const path = repository.below + name;
    if (name.endsWith("/")) {
      files.push({ path, status: "added", binary: false });
      warnings.push(`${path} is a repository of its own; call git_diff(path=${JSON.stringify(path)}) for it`);
      continue;
    }
    const isFull = text.truncatedBy !== "";
    if (isFull && (counted >= MAX_COUNTED || countedBytes >= maxBytes)) {
      files.push({ path, status: "added", binary: false });
      named++;
      continue;
    }
    const content = await readContent(workspace, path);
    if (typeof content === "string") {
      warnings.push(`untracked ${path}: ${content}`);
      files.push({ path, status: "added", binary: false });
      continue;
    }
    if (isFull) {
      counted++;
      countedBytes += content.bytes.length;
    }
    files.push(addFile(text, path, { ...content, sha256: repository.sha256 }));
  }
  if (named > 0) warnings.push(`${named} more untracked files are named but not shown`);
  return { files, warnings };
}

interface Content {
  /** `100644`, `100755` or `120000`. */
  readonly mode: string;
  readonly bytes: Uint8Array;
}

/** Content of a file or link; a sentence when it cannot be shown. */
async function readContent(workspace: Workspace, path: string): Promise<Content | string> {
  try {
    const { tree } = workspace;
    const { kind, mode } = tree.facts(path);
    if (kind === "symlink") return { mode: "120000", bytes: pathToBytes(tree.readLink(path)) };
    if (kind !== "file") return "not a regular file";
    // Security: opened beneath the root without following links, whatever took the file's place meanwhile.
    using file = tree.openFile(path);
    const { size } = file.facts();
    if (size > MAX_FILE_BYTES) return `${size} bytes, too large to show; read_file pages it`;
    return { mode: (mode & 0o100) === 0 ? "100644" : "100755", bytes: await readOpen(file) };
  } catch (fault) {
    if (!(fault instanceof SystemError)) throw fault;
    return `cannot be read (${fault.errno})`;
  }
}

function addFile(text: BoundedText, path: string, content: Content & { sha256: boolean }): FileChange {
  const { mode, bytes } = content;
  const binary = bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
  const isComplete = bytes.at(-1) === 10;
  const lines = bytes.length === 0 || binary ? 0 : countLines(bytes);
  const change: FileChange = { path, status: "added", binary, additions: lines, removals: 0 };
  const hunkLines = lines === 0 ? 0 : 3 + lines + (isComplete ? 0 : 1);
  const shown = HEADER_LINES + (binary ? 1 : hunkLines);
  if (text.truncatedBy !== "" || text.skipWhole(shown)) return change;
  const name = objectName(bytes, content.sha256 ? "sha256" : "sha1").slice(0, 7);
  const to = quoted("b/" + path);
  const say = (words: string) => text.addLine(new TextEncoder().encode(words + "\n"));
  say(`diff --git ${quoted("a/" + path)} ${to}`);
  say(`new file mode ${mode}`);
  say(`index 0000000..${name}`);
  if (binary) say(`Binary files /dev/null and ${to} differ`);
  if (lines === 0) return change;
  say("--- /dev/null");
  // git marks the end of a name with spaces by a tab.
  say(`+++ ${to}${/ /.test(path) ? "\t" : ""}`);
  say(`@@ -0,0 +1${lines === 1 ? "" : "," + lines} @@`);
  for (let at = 0; at < bytes.length && text.truncatedBy === "";) {
    const end = bytes.indexOf(10, at);
    const next = end < 0 ? bytes.length : end + 1;
    addPlusLine(text, bytes.subarray(at, next));
    at = next;
  }
  return change;
}

/** Lines of a file's part before its content: `diff`, `new file mode`, `index`. */
const HEADER_LINES = 3;

function addPlusLine(text: BoundedText, line: Uint8Array): void {
  const complete = line.at(-1) === 10;
  const marked = new Uint8Array(line.length + (complete ? 1 : 2));
  marked[0] = 43;
  marked.set(line, 1);
  if (!complete) marked[marked.length - 1] = 10;
  text.addLine(marked);
  if (!complete) text.addLine(new TextEncoder().encode("\\ No newline at end of file\n"));
}

/** LF ends a line, and an unterminated last one counts. */
function countLines(bytes: Uint8Array): number {
  let lines = bytes.at(-1) === 10 ? 0 : 1;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

/** Name of a blob: the hash over `blob <size> NUL <content>` (gitformat-loose, git-hash-object(1)). */
function objectName(bytes: Uint8Array, algorithm: "sha1" | "sha256"): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
