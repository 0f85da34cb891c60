/** One object: a commit with its patch, a tag, a tree or a blob (git-show(1)). */

import { ToolError } from "../../base/tool_error.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import { BoundedText } from "./bounded_text.ts";
import { patchOptions } from "./diff.ts";
import type { Git, OpenRepository } from "./git.ts";
import { pathspecArguments } from "./git_path.ts";
import { isUnborn } from "./log.ts";
import { type FileChange, PatchReader } from "./patch_reader.ts";
import { splitPathRevision } from "./revision.ts";

export interface ShowRequest {
  /** Checked revision. */
  readonly revision: string;
  /** Workspace-relative; empty: everything. */
  readonly paths: readonly string[];
  readonly includeDiff: boolean;
  readonly contextLines: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface ShowResult {
  readonly content: string;
  readonly files: readonly FileChange[];
  /** Parents of a commit, first one first. */
  readonly parents: readonly string[];
  readonly truncatedBy: "" | "lines" | "bytes";
  readonly lines: number;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** Reads one object. @throws ToolError GIT_ERROR, INVALID_ARGUMENT */
export async function readShow(git: Git, repository: OpenRepository, request: ShowRequest): Promise<ShowResult> {
  const object = await resolveObject(git, repository, request);
  const text = new BoundedText(request.maxBytes);
  if (object.peeledType === "commit") return await showCommit(git, repository, { request, text, object });
  if (repository.above !== "" && splitPathRevision(request.revision) === null) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `Cannot show ${request.revision}: it is a ${object.type}, and may lie above the workspace`,
      { details: { argument: "rev", retry_hint: "Name it through a commit and a path, for example HEAD:dir/file." } },
    );
  }
  return await showContent(git, repository, { request, text, object });
}

interface ObjectFacts {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Type behind tags. */
  readonly peeledType: string;
}

/** Asks git what the revision names, so that a range, a missing path or an odd type never reaches `git show`. */
async function resolveObject(git: Git, repository: OpenRepository, request: ShowRequest): Promise<ObjectFacts> {
  const revision = belowWorkspace(repository, request.revision);
  const output = await git.read(
    repository,
    ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"],
    request.signal,
    encodeUtf8(`${revision}\n${revision}^{}\n`),
  );
  const [own, peeled] = new TextDecoder().decode(output).split("\n").map((line) =>
    /^([0-9a-f]{40}|[0-9a-f]{64}) (commit|tag|tree|blob) (\d+)$/.exec(line)
  );
  if (!own) throw await unknownRevision(git, repository, request);
  const type = own[2] as string;
  return {
    name: own[1] as string,
    type,
    size: Number(own[3]),
    peeledType: type === "tag" ? peeled?.[2] ?? type : type,
  };
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

async function unknownRevision(git: Git, repository: OpenRepository, request: ShowRequest): Promise<ToolError> {
  const { revision } = request;
  if (await isUnborn(git, repository, request.signal)) {
    return new ToolError("GIT_ERROR", `Cannot show ${revision}: the repository has no commits yet`, {
      details: { reason: "no_commits", next_action: { tool: "git_status", arguments: {} } },
    });
  }
  const several = /\.\.|\^[@!-]/.test(revision) ? "; a range names several, use git_log or git_diff" : "";
  return new ToolError("GIT_ERROR", `Cannot show ${revision}: it names no single object of this repository${several}`, {
    details: { reason: "unknown_revision", next_action: { tool: "git_log", arguments: {} } },
  });
}

interface Showing {
  readonly request: ShowRequest;
  readonly text: BoundedText;
  readonly object: ObjectFacts;
}

async function showCommit(git: Git, repository: OpenRepository, showing: Showing): Promise<ShowResult> {
  const { request, text, object } = showing;
  const reader = new PatchReader({ text, below: repository.below, hasHeader: true });
  const patch = patchOptions(repository, request.contextLines);
  const options = request.includeDiff ? patch : patch.filter((option) => option !== "--patch");
  const args = [
    "show",
    "--format=fuller",
    "--date=iso-strict",
    "--encoding=UTF-8",
    "--no-show-signature",
    "--no-mailmap",
    "--no-decorate",
    "--notes",
    "--no-abbrev-commit",
    "--diff-merges=first-parent",
    ...options,
    object.name,
    ...pathspecArguments(repository, request.paths),
  ];
  await git.stream(repository, args, { signal: request.signal, onOutput: (chunk) => reader.push(chunk) });
  reader.finish();
  const parents = await parentsOf(git, repository, request, object);
  return result(showing, {
    files: reader.files,
    parents,
    warnings: parents.length > 1
      ? [`merge of ${parents.length} parents: the difference to the first parent ${parents[0]} is shown`]
      : [],
  });
}

/** Full names of the parents, read from the commit itself. */
async function parentsOf(
  git: Git,
  repository: OpenRepository,
  request: ShowRequest,
  object: ObjectFacts,
): Promise<string[]> {
  const output = await git.read(repository, ["rev-parse", `${object.name}^@`], request.signal);
  return new TextDecoder().decode(output).split("\n").filter((line) => line !== "");
}

/** git calls a file binary when its first 8000 bytes hold a NUL (xdiff-interface.c). */
const BINARY_PROBE_BYTES = 8_000;

async function showContent(git: Git, repository: OpenRepository, showing: Showing): Promise<ShowResult> {
  const { request, text, object } = showing;
  let rest = new Uint8Array(0);
  let probed = 0;
  let binary = false;
  await git.stream(repository, ["show", "--no-textconv", "--no-color", object.name], {
    signal: request.signal,
    onOutput(chunk) {
      if (object.type === "blob" && probed < BINARY_PROBE_BYTES) {
        binary = chunk.subarray(0, BINARY_PROBE_BYTES - probed).includes(0);
        probed += chunk.length;
        if (binary) return false;
      }
      const bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      const end = bytes.lastIndexOf(10) + 1;
      text.addText(bytes.subarray(0, end));
      rest = bytes.slice(end);
      // A line longer than the bound will not fit: no need to wait for its end.
      if (rest.length > request.maxBytes) text.addText(rest);
      return text.truncatedBy === "";
    },
  });
  if (binary) {
    const empty = new BoundedText(request.maxBytes);
    const warnings = [`binary blob ${object.name} of ${object.size} bytes: not shown`];
    return result({ ...showing, text: empty }, { files: [], parents: [], warnings });
  }
  text.addText(rest);
  return result(showing, { files: [], parents: [], warnings: [] });
}

function result(
  { text }: Showing,
  facts: { files: readonly FileChange[]; parents: readonly string[]; warnings: readonly string[] },
): ShowResult {
  const warnings = text.truncatedBy === "" ? facts.warnings : ["output truncated", ...facts.warnings];
  return {
    content: text.text(),
    files: facts.files,
    parents: facts.parents,
    truncatedBy: text.truncatedBy,
    lines: text.lines,
    bytes: text.bytes,
    warnings,
  };
}
