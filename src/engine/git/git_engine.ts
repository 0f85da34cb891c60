/** What the git tools ask for: one object per run, bound to the workspace. */

import { ToolError } from "../../base/tool_error.ts";
import { type BlameRequest, type BlameResult, readBlame } from "./blame.ts";
import { type ChangedHere, diffOfChangesHere } from "./changed_here.ts";
import { type DiffRequest, type DiffResult, readDiff } from "./diff.ts";
import { Git, type GitOptions, type OpenRepository } from "./git.ts";
import { locateGitPath } from "./git_path.ts";
import { type LogRequest, type LogResult, readLog } from "./log.ts";
import type { ShowResult } from "./_blob_text.ts";
import { readShow, type ShowRequest } from "./show.ts";
import { readStatus, type StatusRequest, type WorkingTreeStatus } from "./status.ts";

/** Paths of one call; each is looked up on disk. */
const MAX_PATHS = 1_000;

/** Reads only: no method changes the repository, the index or the working tree. */
export class GitEngine {
  readonly #git: Git;

  constructor(options: GitOptions) {
    this.#git = new Git(options);
  }

  /** State of the working tree; null outside a repository. @throws ToolError GIT_ERROR and the path codes */
  async status(request: StatusRequest): Promise<WorkingTreeStatus | null> {
    const { path, repository } = await this.#open([request.path], request.signal);
    return repository === null
      ? null
      : await readStatus(this.#git, repository, { ...request, path: path[0] as string });
  }

  /**
   * The difference that this server made, for use outside a repository.
   * @throws ToolError with the path codes
   */
  diffOfChangesHere(
    request: ChangedHere["request"],
    baselines: ChangedHere["baselines"],
  ): Promise<DiffResult> {
    return diffOfChangesHere({ workspace: this.#git.workspace, baselines, request });
  }

  /** Differences of the working tree; null outside a repository. @throws ToolError GIT_ERROR and the path codes */
  async diff(request: DiffRequest): Promise<DiffResult | null> {
    const { path, repository } = await this.#open(request.paths, request.signal);
    return repository === null ? null : await readDiff(this.#git, repository, { ...request, paths: path });
  }

  /** Commits; null outside a repository. `path` is given back as resolved. @throws ToolError GIT_ERROR and the path codes */
  async log(request: LogRequest): Promise<LogResult & { readonly path: string } | null> {
    const { path, repository } = await this.#open([request.path], request.signal);
    if (repository === null) return null;
    const resolved = path[0] as string;
    return { ...await readLog(this.#git, repository, { ...request, path: resolved }), path: resolved };
  }

  /** One object; null outside a repository. @throws ToolError GIT_ERROR, INVALID_ARGUMENT and the path codes */
  async show(request: ShowRequest): Promise<ShowResult | null> {
    const { path, repository } = await this.#open(request.paths, request.signal);
    return repository === null ? null : await readShow(this.#git, repository, { ...request, paths: path });
  }

  /** Origin of lines; null outside a repository. @throws ToolError GIT_ERROR, IS_DIRECTORY, NOT_FOUND and the path codes */
  async blame(request: BlameRequest): Promise<BlameResult & { readonly path: string } | null> {
    const { path, repository, places } = await this.#open([request.path], request.signal);
    const place = places[0];
    const resolved = path[0] as string;
    if (place?.isDirectory === true) {
      throw new ToolError("IS_DIRECTORY", `Cannot blame ${resolved}: it is a directory`);
    }
    if (place?.exists === false && request.revision === "") {
      throw new ToolError("NOT_FOUND", `Cannot blame ${resolved}: no such file or directory`, {
        details: { retry_hint: "Pass rev to blame a file that existed in an earlier commit." },
      });
    }
    if (repository === null) return null;
    return { ...await readBlame(this.#git, repository, { ...request, path: resolved }), path: resolved };
  }

  /** An empty spelling is the root, as everywhere where a path has a default (contract 1.9). */
  async #open(spelled: readonly string[], signal: AbortSignal): Promise<Opened> {
    if (spelled.length > MAX_PATHS) {
      throw new ToolError("INVALID_ARGUMENT", `Cannot use ${spelled.length} paths: ${MAX_PATHS} are the most`, {
        details: { argument: "paths", retry_hint: "Name the directories they lie in." },
      });
    }
    this.#git.workspace.requireRoot();
    const places = (spelled.length === 0 ? ["."] : spelled).map((path) => locateGitPath(this.#git.root, path || "."));
    const repository = await this.#git.open(places[0]?.directory ?? this.#git.root, signal);
    return { path: spelled.length === 0 ? [] : places.map((place) => place.path), repository, places };
  }
}

interface Opened {
  /** Workspace-relative, in the order given. */
  readonly path: string[];
  readonly repository: OpenRepository | null;
  readonly places: readonly ReturnType<typeof locateGitPath>[];
}
