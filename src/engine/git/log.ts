/** Commits that lead to a revision, newest first (git-log(1)). */

import { splitNulTerminated } from "./_bytes.ts";
import { startBounded } from "./_start_bounded.ts";
import { type Git, gitFailed, type OpenRepository } from "./git.ts";
import { pathspecArguments } from "./git_path.ts";

/** A commit as the list shows it. */
export interface Commit {
  /** Full object name. */
  readonly hash: string;
  readonly shortHash: string;
  readonly parents: readonly string[];
  readonly authorName: string;
  readonly authorEmail: string;
  /** Strict ISO 8601 with the author's offset. */
  readonly authorDate: string;
  /** First line of the message. */
  readonly subject: string;
}

/** A page of the history of one revision. */
export interface LogRequest {
  /** Checked revision. */
  readonly ref: string;
  /** Workspace-relative; `.` for everything. */
  readonly path: string;
  readonly maxCount: number;
  /** Commits passed over, newest first. */
  readonly skip: number;
  readonly signal: AbortSignal;
}

/** The page, and what a page cannot say by itself. */
export interface LogResult {
  readonly commits: readonly Commit[];
  /** One more commit exists. */
  readonly truncated: boolean;
  /** The branch has no commits yet. */
  readonly unborn: boolean;
}

/** 16 MiB: 101 commits have some ten KiB; one with a hostile subject ends the reading. */
const OUTPUT_BYTES = 16 * 1024 * 1024;
const FORMAT = ["%H", "%h", "%P", "%an", "%ae", "%aI", "%s"];
/** UTF-16 units of a subject, name or address: enough to read, and a hostile one cannot fill the answer. */
const FIELD_UNITS = 1_000;

/** Reads commits. @throws ToolError GIT_ERROR for an unknown revision */
export async function readLog(git: Git, repository: OpenRepository, request: LogRequest): Promise<LogResult> {
  const filter = request.path === "." && repository.above === "" && repository.below === "" ? [] : [request.path];
  const args = [
    "log",
    "-z",
    `--format=tformat:${FORMAT.join("%x00")}`,
    "--encoding=UTF-8",
    "--no-color",
    "--no-show-signature",
    "--no-mailmap",
    "--no-notes",
    "--no-follow",
    "--no-ext-diff",
    "--no-textconv",
    `--max-count=${request.maxCount + 1}`,
    `--skip=${request.skip}`,
    "--end-of-options",
    request.ref,
    ...pathspecArguments(repository, filter),
  ];
  const { end, output } = await startBounded(git, repository, {
    args,
    signal: request.signal,
    limitBytes: OUTPUT_BYTES,
  });
  if (end.exitCode !== 0 && !end.stopped) {
    if (request.ref === "HEAD" && await isUnborn(git, repository, request.signal)) {
      return { commits: [], truncated: false, unborn: true };
    }
    throw gitFailed("log", end);
  }
  const commits = parseCommits(output);
  const truncated = end.stopped || commits.length > request.maxCount;
  return { commits: commits.slice(0, request.maxCount), truncated, unborn: false };
}

/** True when HEAD names a branch without commits. */
export async function isUnborn(git: Git, repository: OpenRepository, signal: AbortSignal): Promise<boolean> {
  const quiet = { signal, onOutput: () => true };
  const verified = await git.start(repository, ["rev-parse", "-q", "--verify", "HEAD"], quiet);
  if (verified.exitCode === 0) return false;
  return (await git.start(repository, ["symbolic-ref", "-q", "HEAD"], quiet)).exitCode === 0;
}

function parseCommits(bytes: Uint8Array): Commit[] {
  const fields = splitNulTerminated(bytes);
  const commits: Commit[] = [];
  for (let at = 0; at + FORMAT.length <= fields.length; at += FORMAT.length) {
    const [hash, shortHash, parents, authorName, authorEmail, authorDate, subject] = fields.slice(at) as string[];
    commits.push({
      hash: hash as string,
      shortHash: shortHash as string,
      parents: (parents as string).split(" ").filter((name) => name !== ""),
      authorName: (authorName as string).slice(0, FIELD_UNITS).toWellFormed(),
      authorEmail: (authorEmail as string).slice(0, FIELD_UNITS).toWellFormed(),
      authorDate: authorDate as string,
      subject: (subject as string).slice(0, FIELD_UNITS).toWellFormed(),
    });
  }
  return commits;
}
