/** Finds the git program and checks that it is new enough. */

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import type { ChildHost } from "../../platform/child.ts";
import { runChild } from "./_child.ts";

export interface GitProgram {
  readonly path: string;
  /** As git prints it, e.g. `2.39.5`. */
  readonly version: string;
}

/** 2.31: the first that reads configuration from `GIT_CONFIG_COUNT`, on which every protection here rests (git(1)). */
const OLDEST: readonly [number, number] = [2, 31];

/**
 * Returns the first `git` of `searchPath` that can be executed and is new enough.
 *
 * Security: directories inside `root` and relative ones are passed over, so that a planted `git` never runs.
 *
 * @throws ToolError GIT_ERROR that names what is needed.
 */
export async function locateGit(host: ChildHost, place: { searchPath: string; root: string }): Promise<GitProgram> {
  const { searchPath, root } = place;
  const path = searchPath.split(delimiter)
    .filter((directory) => isAbsolute(directory) && directory !== root && !directory.startsWith(root + "/"))
    .map((directory) => join(directory, "git"))
    .find(isExecutable);
  if (path === undefined) {
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not ours to run: the next directory may have one.
    return false;
  }
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
