/**
 * Recognises unchanged large files without running git-lfs.
 *
 * The index holds a pointer (three lines: version, `oid sha256:<hex>`, `size <bytes>`; git-lfs specification), the disk
 * the content. Without the filter git calls such a file modified whenever it has to look at it, after a fresh clone for
 * one. What the pointer says is compared here instead.
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { decodeUtf8, encodeUtf8 } from "../../base/utf8.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { splitPathFields } from "./_bytes.ts";
import { readSmallFile } from "./_small_file.ts";
import type { Git, OpenRepository } from "./git.ts";
import { fromTop } from "./git_path.ts";
import type { StatusEntry } from "./status.ts";

/** A modified entry and the name of what the index has for it. */
export interface Suspect {
  readonly entry: StatusEntry;
  /** Relative to the top of the repository. */
  readonly pathFromTop: string;
  readonly indexName: string;
}

/** Entries looked at; the rest stay modified. */
const MAX_SUSPECTS = 200;
/** 512 MiB of content are hashed for one status, about a second; the rest stay modified. */
const HASH_BYTES = 512 * 1024 * 1024;
/** Read and hashed at a time. */
const PIECE_BYTES = 1024 * 1024;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n$/;

/** Entries whose content on disk is what the pointer in the index names. */
export async function unchangedLargeFiles(
  git: Git,
  repository: OpenRepository,
  { suspects, signal }: { suspects: readonly Suspect[]; signal: AbortSignal },
): Promise<ReadonlySet<StatusEntry>> {
  const unchanged = new Set<StatusEntry>();
  if (suspects.length === 0 || !mentionsLargeFiles(repository)) return unchanged;
  const filtered = await withFilter(git, repository, { suspects: suspects.slice(0, MAX_SUSPECTS), signal });
  const pointers = await readPointers(git, repository, { suspects: filtered, signal });
  let left = HASH_BYTES;
  for (const [index, suspect] of filtered.entries()) {
    const pointer = pointers[index];
    if (pointer === undefined || pointer === null || pointer.size > left) continue;
    left -= pointer.size;
    if (await matches(git.workspace, { repository, suspect, pointer, signal })) unchanged.add(suspect.entry);
  }
  return unchanged;
}

function mentionsLargeFiles(repository: OpenRepository): boolean {
  const files = [join(repository.top ?? "", ".gitattributes"), join(repository.commonDir, "info", "attributes")];
  return files.some((file) => /filter=lfs/.test(readSmallFile(file) ?? ""));
}

async function withFilter(
  git: Git,
  repository: OpenRepository,
  { suspects, signal }: { suspects: readonly Suspect[]; signal: AbortSignal },
): Promise<Suspect[]> {
  const names = suspects.map((suspect) => `${repository.above === "" ? suspect.pathFromTop : suspect.entry.path}\0`);
  const output = await git.read(
    repository,
    ["check-attr", "-z", "--stdin", "filter"],
    { signal, input: encodeUtf8(names.join("")) },
  );
  // Path, attribute, value for each name, in order.
  const fields = splitPathFields(output);
  return suspects.filter((_, index) => fields[index * 3 + 2] === "lfs");
}

interface Pointer {
  readonly sha256: string;
  readonly size: number;
}

async function readPointers(
  git: Git,
  repository: OpenRepository,
  { suspects, signal }: { suspects: readonly Suspect[]; signal: AbortSignal },
): Promise<(Pointer | null)[]> {
  if (suspects.length === 0) return [];
  const names = suspects.map((suspect) => `${suspect.indexName}\n`).join("");
  const output = await git.read(repository, ["cat-file", "--batch"], { signal, input: encodeUtf8(names) });
  const pointers: (Pointer | null)[] = [];
  for (let at = 0; at < output.length && pointers.length < suspects.length;) {
    const lineEnd = output.indexOf(10, at);
    const size = / blob (\d+)$/.exec(decodeUtf8(output.subarray(at, lineEnd)))?.[1];
    at = lineEnd + 1;
    if (size === undefined) {
      pointers.push(null);
      continue;
    }
    const match = Number(size) > 1024 ? null : POINTER.exec(decodeUtf8(output.subarray(at, at + Number(size))));
    pointers.push(match === null ? null : { sha256: match[1] as string, size: Number(match[2]) });
    at += Number(size) + 1;
  }
  return pointers;
}

async function matches(
  workspace: Workspace,
  { repository, suspect, pointer, signal }: {
    repository: OpenRepository;
    suspect: Suspect;
    pointer: Pointer;
    signal: AbortSignal;
  },
): Promise<boolean> {
  try {
    // Security: opened beneath the root without following links.
    using file = workspace.tree.openFile(fromTop(repository, suspect.pathFromTop) as string);
    if (file.facts().size !== pointer.size) return false;
    const hash = createHash("sha256");
    const piece = new Uint8Array(Math.min(PIECE_BYTES, Math.max(1, pointer.size)));
    for (let at = 0; at < pointer.size;) {
      signal.throwIfAborted();
      const read = await file.read(piece, at);
      if (read === 0) return false;
      hash.update(piece.subarray(0, read));
      at += read;
    }
    return hash.digest("hex") === pointer.sha256;
  } catch (fault) {
    if (signal.aborted) throw fault;
    // Gone or no regular file any more: then it is modified indeed.
    return false;
  }
}
