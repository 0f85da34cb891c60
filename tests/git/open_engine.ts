/** The git engine alone, without a server around it. */

import { GitEngine } from "../../src/engine/git/git_engine.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { createChildHost } from "../../src/platform/create_child_host.ts";

/** One for all tests, made before the first: it loads libraries and keeps them. */
const HOST = createChildHost();
const NEVER = new AbortController().signal;

/** Calls with the defaults of the tools. */
export class GitCalls {
  readonly #engine: GitEngine;

  constructor(
    root: string,
    options: { deadlineMs?: number; environment?: Record<string, string>; readableRoots?: string[] } = {},
  ) {
    this.#engine = new GitEngine({
      workspace: new Workspace(root),
      readableRoots: options.readableRoots ?? [],
      host: HOST,
      environment: () => Promise.resolve({ PATH: Deno.env.get("PATH") ?? "", ...options.environment }),
      ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
    });
  }

  status(given: Partial<Parameters<GitEngine["status"]>[0]> = {}): ReturnType<GitEngine["status"]> {
    return this.#engine.status({ path: ".", includeUntracked: true, signal: NEVER, ...given });
  }

  diff(given: Partial<Parameters<GitEngine["diff"]>[0]> = {}): ReturnType<GitEngine["diff"]> {
    const defaults = { paths: [], staged: false, unstaged: true, includeUntracked: true, contextLines: 3 };
    return this.#engine.diff({ ...defaults, maxBytes: 65_536, signal: NEVER, ...given });
  }

  log(given: Partial<Parameters<GitEngine["log"]>[0]> = {}): ReturnType<GitEngine["log"]> {
    return this.#engine.log({ ref: "HEAD", path: ".", maxCount: 20, skip: 0, signal: NEVER, ...given });
  }

  show(given: Partial<Parameters<GitEngine["show"]>[0]> = {}): ReturnType<GitEngine["show"]> {
    const defaults = { revision: "HEAD", paths: [], includeDiff: true, contextLines: 3, maxBytes: 65_536 };
    return this.#engine.show({ ...defaults, signal: NEVER, ...given });
  }

  blame(
    path: string,
    given: Partial<Parameters<GitEngine["blame"]>[0]> = {},
  ): ReturnType<GitEngine["blame"]> {
    return this.#engine.blame({ path, revision: "", startLine: 1, endLine: 200, signal: NEVER, ...given });
  }
}

/** Shell lines that begin a repository with an author. */
export const NEW_REPOSITORY = "git init -q -b main; git config user.email a@example.com; git config user.name A\n";
