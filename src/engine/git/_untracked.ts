/** Shows untracked files as additions, in git's own format but without starting git for each. */

import { createHash } from "node:crypto";
import { pathToBytes } from "../../base/path_text.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { splitPathFields } from "./_bytes.ts";
import { readOpen } from "./_read_open.ts";
import type { BoundedText } from "./bounded_text.ts";
import type { Git, OpenRepository } from "./git.ts";
import { pathspecArguments } from "./git_path.ts";
import { type FileChange, quoted } from "./patch_reader.ts";

/** Files shown; more are only named (contract 3.15). */
const MAX_FILES = 100;
/** 16 MiB: files above are named but not shown, whatever text could hold. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** git calls a file binary when its first 8000 bytes hold a NUL (xdiff-interface.c). */
const BINARY_PROBE_BYTES = 8_000;

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
  return splitPathFields(await git.read(repository, args, signal));
}

/** Adds the files to `text`; once that is full, further files of `maxBytes` in all are counted, and the rest only named. */
export async function showUntracked(
  repository: OpenRepository,
  names: readonly string[],
  { workspace, text, maxBytes }: { workspace: Workspace; text: BoundedText; maxBytes: number },
): Promise<Untracked> {
  const files: FileChange[] = [];
  const warnings: string[] = [];
  let readBytes = 0;
  let shown = 0;
  for (const name of names) {
    const path = repository.below + name;
    if (shown >= MAX_FILES || (text.truncatedBy !== "" && readBytes >= maxBytes)) {
      files.push({ path, status: "added", binary: false });
      continue;
    }
    shown++;
    if (name.endsWith("/")) {
      files.push({ path, status: "added", binary: false });
      warnings.push(`${path} is a repository of its own; call git_diff(path=${JSON.stringify(path)}) for it`);
      continue;
    }
    const content = await readContent(workspace, path);
    if (typeof content === "string") {
      warnings.push(`untracked ${path}: ${content}`);
      files.push({ path, status: "added", binary: false });
      continue;
    }
    readBytes += content.bytes.length;
    files.push(addFile(text, path, { ...content, sha256: repository.sha256 }));
  }
  if (names.length > shown) warnings.push(`${names.length - shown} more untracked files are named but not shown`);
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
    if (size > MAX_FILE_BYTES) return `${size} bytes, too large to show`;
    return { mode: (mode & 0o100) === 0 ? "100644" : "100755", bytes: await readOpen(file) };
  } catch (fault) {
    if (!(fault instanceof SystemError)) throw fault;
    return `cannot be read (${fault.errno})`;
  }
}

function addFile(text: BoundedText, path: string, content: Content & { sha256: boolean }): FileChange {
  const { mode, bytes } = content;
  const name = objectName(bytes, content.sha256).slice(0, 7);
  const binary = bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
  const lines = splitLines(bytes);
  const to = quoted("b/" + path);
  const say = (words: string) => text.addLine(new TextEncoder().encode(words + "\n"));
  say(`diff --git ${quoted("a/" + path)} ${to}`);
  say(`new file mode ${mode}`);
  say(`index 0000000..${name}`);
  if (binary) {
    say(`Binary files /dev/null and ${to} differ`);
  } else if (bytes.length > 0) {
    say("--- /dev/null");
    // git marks the end of a name with spaces by a tab.
    say(`+++ ${to}${/ /.test(path) ? "\t" : ""}`);
    say(`@@ -0,0 +1${lines.length === 1 ? "" : "," + lines.length} @@`);
    for (const line of lines) addPlusLine(text, line);
  }
  return { path, status: "added", binary, additions: binary ? 0 : lines.length, removals: 0 };
}

function addPlusLine(text: BoundedText, line: Uint8Array): void {
  if (text.truncatedBy !== "") return;
  const complete = line.at(-1) === 10;
  const marked = new Uint8Array(line.length + (complete ? 1 : 2));
  marked[0] = 43;
  marked.set(line, 1);
  if (!complete) marked[marked.length - 1] = 10;
  text.addLine(marked);
  if (!complete) text.addLine(new TextEncoder().encode("\\ No newline at end of file\n"));
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const next = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(at, next));
    at = next;
  }
  return lines;
}

/** Name of a blob: the hash over `blob <size> NUL <content>` (gitformat-loose, git-hash-object(1)). */
function objectName(bytes: Uint8Array, sha256: boolean): string {
  return createHash(sha256 ? "sha256" : "sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
