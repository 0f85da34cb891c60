/** Who changed each line last (git-blame(1), "The Porcelain Format"). */

import { ToolError } from "../../base/tool_error.ts";
import { startBounded } from "./_start_bounded.ts";
import { type Git, gitFailed, type OpenRepository } from "./git.ts";
import { toPathspec } from "./git_path.ts";
import { isUnborn } from "./log.ts";

/** One line of the file and the commit it comes from. */
export interface BlamedLine {
  /** In the file as blamed, counted from 1. */
  readonly line: number;
  /** In the commit that made it. */
  readonly originalLine: number;
  /** Full object name; all zeros for a change that is not committed. */
  readonly commit: string;
  readonly author: string;
  /** Without angle brackets. */
  readonly authorMail: string;
  /** Seconds since 1970. */
  readonly authorTime: number;
  /** First line of the commit message. */
  readonly summary: string;
  /** Without its line feed. */
  readonly content: string;
}

/** The lines of one file that are asked for. */
export interface BlameRequest {
  /** Workspace-relative. */
  readonly path: string;
  /** Checked revision; empty: the file as it is on disk. */
  readonly revision: string;
  /** Counted from 1. */
  readonly startLine: number;
  /** Inclusive. */
  readonly endLine: number;
  readonly signal: AbortSignal;
}

/** A page of lines. */
export interface BlameResult {
  readonly lines: readonly BlamedLine[];
  /** The file has lines behind `endLine`. */
  readonly hasMore: boolean;
}

/** 32 MiB: 1000 lines have some hundred KiB; enormous lines end the reading early. */
const OUTPUT_BYTES = 32 * 1024 * 1024;

/** Reads the lines `startLine`…`endLine`. @throws ToolError GIT_ERROR */
export async function readBlame(git: Git, repository: OpenRepository, request: BlameRequest): Promise<BlameResult> {
  const path = toPathspec(repository, request.path) ?? ".";
  const args = [
    "blame",
    "--porcelain",
    "--no-textconv",
    "--no-ext-diff",
    // Security: git would read the file that the configuration names, and quote a line it cannot use.
    "--no-ignore-revs-file",
    "--no-progress",
    "--encoding=UTF-8",
    // One line more tells whether the file goes on.
    `-L${request.startLine},${request.endLine + 1}`,
    ...(request.revision === "" ? [] : [request.revision]),
    "--",
    path,
  ];
  const { end, output } = await startBounded(git, repository, {
    args,
    signal: request.signal,
    limitBytes: OUTPUT_BYTES,
  });
  if (end.exitCode !== 0 && !end.stopped) {
    if (request.startLine === 1 && /has only 0 lines?$/m.test(end.stderr)) return { lines: [], hasMore: false };
    throw await explained(git, repository, { request, end });
  }
  const lines = parseBlame(new TextDecoder("utf-8", { ignoreBOM: true }).decode(output));
  const wanted = request.endLine - request.startLine + 1;
  // The last line of an answer that was cut is not whole.
  const whole = end.stopped && lines.length > 1 ? lines.slice(0, -1) : lines;
  return { lines: whole.slice(0, wanted), hasMore: end.stopped || lines.length > wanted };
}

async function explained(
  git: Git,
  repository: OpenRepository,
  { request, end }: { request: BlameRequest; end: { stderr: string; exitCode: number | null } },
): Promise<ToolError> {
  const { path, startLine, revision } = request;
  const count = /has only (\d+) lines?/.exec(end.stderr)?.[1];
  if (count !== undefined) {
    return new ToolError("GIT_ERROR", `Cannot blame ${path} from line ${startLine}: it has ${count} lines`, {
      details: { reason: "past_end", total_lines: Number(count), retry_hint: `Use start_line between 1 and ${count}.` },
    });
  }
  if (revision === "" && await isUnborn(git, repository, request.signal)) {
    return new ToolError("GIT_ERROR", `Cannot blame ${path}: the repository has no commits yet`, {
      details: { reason: "no_commits", next_action: { tool: "git_status", arguments: {} } },
    });
  }
  if (/no such path/.test(end.stderr)) {
    const where = revision === "" ? "the last commit; it is untracked or new" : revision;
    return new ToolError("GIT_ERROR", `Cannot blame ${path}: there is no such file in ${where}`, {
      details: { reason: "no_such_path", next_action: { tool: "git_status", arguments: { path } } },
    });
  }
  return gitFailed("blame", end);
}

interface CommitFacts {
  author: string;
  authorMail: string;
  authorTime: number;
  summary: string;
}

/** Reads the porcelain format: a commit's facts stand only before its first line. */
function parseBlame(output: string): BlamedLine[] {
  const commits = new Map<string, CommitFacts>();
  const lines: BlamedLine[] = [];
  let name = "";
  let facts: CommitFacts = { author: "", authorMail: "", authorTime: 0, summary: "" };
  let place = { line: 0, originalLine: 0 };
  for (const text of output.split("\n")) {
    if (text.startsWith("\t")) {
      lines.push({ ...place, commit: name, ...facts, content: text.slice(1) });
      continue;
    }
    const start = /^\^?([0-9a-f]{40}|[0-9a-f]{64}) (\d+) (\d+)/.exec(text);
    if (start !== null) {
      name = start[1] as string;
      place = { line: Number(start[3]), originalLine: Number(start[2]) };
      facts = commits.get(name) ?? { author: "", authorMail: "", authorTime: 0, summary: "" };
      commits.set(name, facts);
    } else {
      noteFact(facts, text);
    }
  }
  return lines;
}

function noteFact(facts: CommitFacts, text: string): void {
  const space = text.indexOf(" ");
  const value = text.slice(space + 1);
  switch (text.slice(0, space)) {
    case "author":
      facts.author = value;
      break;
    case "author-mail":
      facts.authorMail = value.replace(/^<|>$/g, "");
      break;
    case "author-time":
      facts.authorTime = Number(value);
      break;
    case "summary":
      facts.summary = value;
      break;
  }
}
