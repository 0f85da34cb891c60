/** Differences of a working tree: unstaged, staged, untracked, in this order and within one bound (contract 3.15). */

import { concatBytes } from "./_bytes.ts";
import { listUntracked, showUntracked } from "./_untracked.ts";
import { BoundedText } from "./bounded_text.ts";
import type { Git, OpenRepository } from "./git.ts";
import { pathspecArguments, toPathspec } from "./git_path.ts";
import { type FileChange, PatchReader } from "./patch_reader.ts";
import { filterWarnings } from "./status.ts";

/** Which differences are wanted, and how much text of them. */
export interface DiffRequest {
  /** Workspace-relative; empty: everything. */
  readonly paths: readonly string[];
  readonly staged: boolean;
  readonly unstaged: boolean;
  readonly includeUntracked: boolean;
  readonly contextLines: number;
  /** UTF-8 bytes of the text. */
  readonly maxBytes: number;
  /** Bytes that the text may take as JSON; unlimited by default. */
  readonly maxJsonBytes?: number;
  /** Lines before the first that is wanted. */
  readonly skipLines?: number;
  readonly signal: AbortSignal;
}

/** A page of the diff; `files` is complete whatever was cut. */
export interface DiffResult {
  readonly diff: string;
  readonly files: readonly FileChange[];
  /** The bound that cut the text; empty when nothing was cut. */
  readonly truncatedBy: "" | "lines" | "bytes";
  /** Lines of the page. */
  readonly lines: number;
  /** UTF-8 bytes of the page. */
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** Options that fix the form of a patch whatever is configured (git-diff(1)). */
export function patchOptions(repository: OpenRepository, contextLines: number): string[] {
  return [
    "-z",
    "--raw",
    "--patch",
    `--unified=${contextLines}`,
    // Security: no program of a driver or of the configuration makes the diff.
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--find-renames",
    "--indent-heuristic",
    "-O/dev/null",
    `--src-prefix=a/${repository.below}`,
    `--dst-prefix=b/${repository.below}`,
    ...(repository.above === "" ? ["--no-relative"] : ["--relative"]),
  ];
}

/** Reads the differences. @throws ToolError GIT_ERROR */
export async function readDiff(git: Git, repository: OpenRepository, request: DiffRequest): Promise<DiffResult> {
  const text = new BoundedText(request.maxBytes, request);
  const warnings = filterWarnings(repository);
  if (repository.bare) {
    return { ...summary(text, []), warnings: ["bare repository: it has no working tree to compare"] };
  }
  const untracked = request.unstaged && request.includeUntracked
    ? listUntracked(git, repository, { paths: request.paths, signal: request.signal })
    : Promise.resolve([]);
  // Awaited last; a failure must not count as unhandled before that.
  untracked.catch(() => {});
  const files: FileChange[] = [];
  if (request.unstaged) files.push(...await readPass(git, repository, { request, text, staged: false }));
  if (request.staged) files.push(...await readPass(git, repository, { request, text, staged: true }));
  const shown = await showUntracked(repository, await untracked, {
    workspace: git.workspace,
    text,
    maxBytes: request.maxBytes,
    signal: request.signal,
  });
  files.push(...shown.files);
  warnings.push(...shown.warnings);
  const uncounted = files.filter((file) => file.additions === undefined && !file.path.endsWith("/")).length;
  if (uncounted > 0 && text.truncatedBy !== "") {
    warnings.push(`${uncounted} files are listed without line counts: the diff was not read to its end`);
  }
  if (text.truncatedBy !== "") warnings.unshift("diff truncated");
  return { ...summary(text, files), warnings };
}

function summary(text: BoundedText, files: readonly FileChange[]): Omit<DiffResult, "warnings"> {
  return { diff: text.text(), files, truncatedBy: text.truncatedBy, lines: text.lines, bytes: text.bytes };
}

interface Pass {
  readonly request: DiffRequest;
  readonly text: BoundedText;
  readonly staged: boolean;
}

async function readPass(git: Git, repository: OpenRepository, pass: Pass): Promise<FileChange[]> {
  const { request, text, staged } = pass;
  const reader = new PatchReader({ text, below: repository.below, hasHeader: false });
  const options = [...(staged ? ["--cached"] : []), ...patchOptions(repository, request.contextLines)];
  await git.stream(repository, ["diff", ...options, ...pathspecArguments(repository, request.paths)], {
    signal: request.signal,
    onOutput: (chunk) => reader.push(chunk),
  });
  reader.finish();
  const { combined } = reader;
  if (combined.length > 0) await showCombined(git, repository, { request, text, files: combined });
  return onePerPath(reader.files);
}

/** git prints the combined diff of an unmerged path only without `--raw` (git-diff(1), "Combined diff format"). */
async function showCombined(
  git: Git,
  repository: OpenRepository,
  { request, text, files }: { request: DiffRequest; text: BoundedText; files: FileChange[] },
): Promise<void> {
  if (text.truncatedBy !== "") return;
  const options = patchOptions(repository, request.contextLines).filter((option) =>
    option !== "-z" && option !== "--raw"
  );
  const specs = files.map((file) => underCwd(repository, file.path));
  let rest: Uint8Array = new Uint8Array(0);
  await git.stream(repository, ["diff", ...options, "--", ...specs], {
    signal: request.signal,
    onOutput(chunk) {
      const bytes = concatBytes([rest, chunk]);
      const end = bytes.lastIndexOf(10) + 1;
      text.addText(bytes.subarray(0, end));
      rest = bytes.slice(end);
      if (rest.length > request.maxBytes) text.addText(rest);
      return text.truncatedBy === "";
    },
  });
  text.addText(rest);
}

function underCwd(repository: OpenRepository, path: string): string {
  return toPathspec(repository, path) ?? ".";
}

/** An unmerged path may be listed a second time as modified; the first says more. */
function onePerPath(files: readonly FileChange[]): FileChange[] {
  const unmerged = new Set(files.filter((file) => file.status === "unmerged").map((file) => file.path));
  return files.filter((file) => file.status === "unmerged" || !unmerged.has(file.path));
}
