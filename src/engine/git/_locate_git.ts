/** Finds the git program and checks that it is new enough. */

import { ToolError } from "../../base/tool_error.ts";
import type { ChildHost } from "../../platform/child.ts";
import { findTrustedProgram } from "../environment/find_trusted_program.ts";
import { runChild } from "./_child.ts";

/** The git that is used in this run. */
export interface GitProgram {
  /** Absolute. */
  readonly path: string;
  /** As git prints it, e.g. `2.39.5`. */
  readonly version: string;
}

/** 2.31: the first that reads configuration from `GIT_CONFIG_COUNT`, on which every protection here rests (git(1)). */
const OLDEST: readonly [number, number] = [2, 31];

/**
 * Returns the first `git` of `searchPath` that can be executed and is new enough.
 *
 * Security: relative directories, those inside `root` and links through it are passed over, so that a planted `git` never runs.
 *
 * @throws ToolError GIT_ERROR that names what is needed.
 */
export async function locateGit(host: ChildHost, place: { searchPath: string; root: string }): Promise<GitProgram> {
  const { searchPath, root } = place;
  const path = findTrustedProgram("git", { searchPath, workspace: root });
  if (path === null) {
    throw new ToolError("GIT_ERROR", "Cannot use git: no program named git is on the server's PATH", {
      details: {
        reason: "git_missing",
        retry_hint:
          "Install git 2.31 or newer on the machine of the server; the file and command tools work without it.",
      },
    });
  }
  const version = await versionOf(host, path);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new ToolError(
      "GIT_ERROR",
      `Cannot use git: ${path} is version ${version || "unknown"}, needed is 2.31 or newer`,
      {
        details: { reason: "git_too_old", version, retry_hint: "Install a newer git on the machine of the server." },
      },
    );
  }
  return { path, version };
}

async function versionOf(host: ChildHost, path: string): Promise<string> {
  let printed = "";
  await runChild(host, {
    launch: { path, argv: [path, "version"], inherit: [], statusRead: null, release: () => undefined },
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    signal: new AbortController().signal,
    deadlineMs: 10_000,
    onOutput(chunk) {
      printed += new TextDecoder().decode(chunk);
      return printed.length < 1_000;
    },
  });
  return /\d+\.\d+(\.\d+)?/.exec(printed)?.[0] ?? "";
}
