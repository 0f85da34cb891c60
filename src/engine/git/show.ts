/** One object: a commit with its patch, a tag, a tree or a blob (git-show(1)). */

import { ToolError } from "../../base/tool_error.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/utf8.ts";
import { concatBytes } from "./_bytes.ts";
import type { ChildEnd } from "./_child.ts";
import { BlobText, type ObjectFacts, pageOf, type ShowResult, type TextBounds } from "./_blob_text.ts";
import { BoundedText } from "./bounded_text.ts";
import { patchOptions } from "./diff.ts";
import { type Git, gitFailed, type OpenRepository } from "./git.ts";
import { pathspecArguments } from "./git_path.ts";
import { isUnborn } from "./log.ts";
import { PatchReader } from "./patch_reader.ts";
import { splitPathRevision } from "./revision.ts";

/** The object that is wanted, and how much text of it. */
export interface ShowRequest extends TextBounds {
  /** Checked revision. */
  readonly revision: string;
  /** Workspace-relative; empty: everything. */
  readonly paths: readonly string[];
  /** False: the header of a commit only. */
  readonly includeDiff: boolean;
  readonly contextLines: number;
  readonly signal: AbortSignal;
}

/**
 * Reads one object.
 *
 * A commit, by far the usual case, takes one start of git. What may be anything else is first looked up by
 * `git cat-file --batch`, which gives the content of a blob at once.
 * @throws ToolError GIT_ERROR, INVALID_ARGUMENT
 */
export async function readShow(git: Git, repository: OpenRepository, request: ShowRequest): Promise<ShowResult> {
  const { revision } = request;
  if (/\.\.|\^[@!-]|^\^/.test(revision.replace(/\{[^}]*\}|:.*$/g, ""))) {
    throw new ToolError("INVALID_ARGUMENT", `Cannot show ${revision}: a range names several commits`, {
      details: { argument: "rev", retry_hint: "Pass one revision; git_log lists the commits of a range." },
    });
  }
  if (repository.above === "" && splitPathRevision(revision) === null) {
    const shown = await showCommit(git, repository, { request, name: revision });
    if (shown !== null) return shown;
  }
  return await showLookedUp(git, repository, request);
}

/** Null when the revision names no commit. */
async function showCommit(
  git: Git,
  repository: OpenRepository,
  { request, name }: { request: ShowRequest; name: string },
): Promise<ShowResult | null> {
  const text = new BoundedText(request.maxBytes, request);
  const header = new BoundedText(PARENTS_BYTES);
  const reader = new PatchReader({ text, below: repository.below, hasHeader: true });
  let isCommit: boolean | null = null;
  const end = await git.start(repository, showArguments(repository, { request, name }), {
    signal: request.signal,
    onOutput(chunk) {
      isCommit ??= /^commit [0-9a-f]{40}/.test(decodeUtf8(chunk.subarray(0, 80)));
      header.addText(chunk.subarray(0, PARENTS_BYTES));
      return isCommit && reader.push(chunk);
    },
  });
  if (isCommit === false) return null;
  if (end.exitCode !== 0 && !end.stopped) {
    throw isCommit === null ? await unknownRevision(git, repository, { request, end }) : gitFailed("show", end);
  }
  reader.finish();
  const parents = /^Merge: +([0-9a-f ]+)$/m.exec(header.text())?.[1]?.split(" ") ?? [];
  const warnings = parents.length === 0
    ? []
    : [`merge of ${parents.length} parents (${parents.join(" ")}): the difference to the first is shown`];
  return pageOf(text, { files: reader.files, parents, warnings });
}

/** Bytes of the header in which the parents stand: an octopus of 60 SHA-256 parents fits. */
const PARENTS_BYTES = 4_096;

function showArguments(
  repository: OpenRepository,
  { request, name }: { request: ShowRequest; name: string },
): string[] {
  const patch = patchOptions(repository, request.contextLines);
  return [
    "show",
    "--format=fuller",
    "--date=iso-strict",
    "--encoding=UTF-8",
    "--no-show-signature",
    "--no-mailmap",
    "--no-decorate",
    "--notes",
    // Parents by their full names.
    "--no-abbrev",
    "--no-abbrev-commit",
    "--diff-merges=first-parent",
    // A number of context lines implies the patch (git-show(1)).
    ...(request.includeDiff ? patch : patch.filter((option) => !/^--(?:patch$|unified=)/.test(option))),
    "--end-of-options",
    name,
    ...pathspecArguments(repository, request.paths),
  ];
}

async function showLookedUp(git: Git, repository: OpenRepository, request: ShowRequest): Promise<ShowResult> {
  const blob = new BlobText(request);
  const object = await lookUp(git, repository, { request, blob });
  const needsPath = repository.above !== "" && splitPathRevision(request.revision) === null;
  if (needsPath && object.type !== "commit" && object.type !== "tag") {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `Cannot show ${request.revision}: it is a ${object.type}, which may lie above the workspace`,
      { details: { argument: "rev", retry_hint: "Name it through a commit and a path, for example HEAD:dir/file." } },
    );
  }
  if (object.type === "commit") {
    const shown = await showCommit(git, repository, { request, name: object.name });
    if (shown !== null) return shown;
  }
  if (object.type === "blob") return blob.result(object);
  if (object.type === "tag") return await showTag(git, repository, { request, object });
  const text = new BlobText(request);
  await git.stream(repository, ["show", "--no-color", object.name], {
    signal: request.signal,
    onOutput: (chunk) => text.push(chunk),
  });
  return text.result(object);
}

/** The words of an annotated tag, and what it stands for. */
async function showTag(
  git: Git,
  repository: OpenRepository,
  { request, object }: { request: ShowRequest; object: ObjectFacts },
): Promise<ShowResult> {
  const words = await git.read(repository, ["cat-file", "tag", object.name], request);
  const tag = decodeUtf8(words);
  const target = /^object ([0-9a-f]+)$/m.exec(tag)?.[1] ?? "";
  const own = `${tag.replace(/\n?$/, "\n")}\n`;
  const skipLines = request.skipLines ?? 0;
  const innerSkip = Math.max(0, skipLines - (own.split("\n").length - 1));
  const inner = await readShow(git, { ...repository }, { ...request, revision: target, skipLines: innerSkip });
  const text = new BoundedText(request.maxBytes, { ...request, skipLines: skipLines - innerSkip });
  text.addText(encodeUtf8(own));
  text.addText(encodeUtf8(inner.content));
  const truncatedBy = text.truncatedBy === "" ? inner.truncatedBy : text.truncatedBy;
  return { ...inner, content: text.text(), lines: text.lines, bytes: text.bytes, truncatedBy };
}

/** Asks `git cat-file --batch` what the revision names; the content of a blob goes to `blob` as far as it fits. */
async function lookUp(
  git: Git,
  repository: OpenRepository,
  { request, blob }: { request: ShowRequest; blob: BlobText },
): Promise<ObjectFacts> {
  const revision = belowWorkspace(repository, request.revision);
  let head: Uint8Array = new Uint8Array(0);
  let object: ObjectFacts | null = null;
  let left = 0;
  const take = (chunk: Uint8Array): boolean => {
    const own = chunk.subarray(0, left);
    left -= own.length;
    return blob.push(own) && left > 0;
  };
  const end = await git.start(repository, ["cat-file", "--batch"], {
    signal: request.signal,
    input: encodeUtf8(`${revision}\n`),
    onOutput(chunk) {
      if (object !== null) return take(chunk);
      head = concatBytes([head, chunk]);
      const lineEnd = head.indexOf(10);
      if (lineEnd < 0) return head.length < 64 * 1024;
      const facts = /^([0-9a-f]{40}|[0-9a-f]{64}) (commit|tag|tree|blob) (\d+)$/.exec(
        decodeUtf8(head.subarray(0, lineEnd)),
      );
      if (facts === null) return false;
      object = { name: facts[1] as string, type: facts[2] as string, size: Number(facts[3]) };
      left = object.size;
      return object.type === "blob" && take(head.subarray(lineEnd + 1));
    },
  });
  if (object === null) throw await unknownRevision(git, repository, { request, end });
  return object;
}

/** `rev:path` with the path taken relative to the workspace. @throws ToolError for a path that leaves it */
function belowWorkspace(repository: OpenRepository, revision: string): string {
  const parts = splitPathRevision(revision);
  if (parts === null) return revision;
  const path = parts.path.replace(/^(\.\/+)+/, "");
  if (path.split("/").includes("..")) {
    throw new ToolError("PATH_OUTSIDE_WORKSPACE", `Cannot show ${revision}: ".." is not allowed in paths`);
  }
  if (repository.above !== "") return `${parts.tree}${repository.above}${path}`.replace(/\/$/, "");
  if (repository.below === "" || !path.startsWith(repository.below)) return parts.tree + path;
  return parts.tree + path.slice(repository.below.length);
}

async function unknownRevision(
  git: Git,
  repository: OpenRepository,
  { request, end }: { request: ShowRequest; end: ChildEnd },
): Promise<ToolError> {
  const { revision } = request;
  if (await isUnborn(git, repository, request.signal)) {
    return new ToolError("GIT_ERROR", `Cannot show ${revision}: the repository has no commits yet`, {
      details: { reason: "no_commits", next_action: { tool: "git_status", arguments: {} } },
    });
  }
  // Other faults (a missing object, a broken file) are told in git's own words.
  if (
    end.stderr !== "" && !/unknown revision|bad revision|ambiguous argument|Not a valid object name/.test(end.stderr)
  ) {
    return gitFailed("show", end);
  }
  return new ToolError("GIT_ERROR", `Cannot show ${revision}: it names no object of this repository`, {
    details: { reason: "unknown_revision", next_action: { tool: "git_log", arguments: {} } },
  });
}
