/**
 * The one way to start git.
 *
 * Order of events: find the repository without git; read what its configuration could run; start git with the place
 * spelled out (`GIT_DIR`, `GIT_WORK_TREE`), every setting that runs a program or changes the output overridden, and
 * literal pathspecs; read its output only as far as somebody wants it.
 */

import { dirname, join, resolve } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import { type ChildHost, LaunchFailure } from "../../platform/child.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Launch } from "../../platform/launch.ts";
import type { PathRule } from "../../platform/path_rule.ts";
import { launchError } from "../sandbox/sandbox_error.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { concatBytes, splitNulTerminated } from "./_bytes.ts";
import { type ChildEnd, runChild } from "./_child.ts";
import { GIT_VARIABLES, inspectConfig, needsListing, settingVariables } from "./_hardening.ts";
import { type GitProgram, locateGit } from "./_locate_git.ts";
import { readSmallFile, SMALL_FILE_BYTES } from "./_small_file.ts";
import { findRepository, type Repository } from "./find_repository.ts";

/** 10 s: the longest one start of git may take (contract 3.13). */
const DEADLINE_MS = 10_000;
/** 32 MiB: machine output that is read whole (lists of names); a list of 200,000 long names fits. */
const COLLECT_BYTES = 32 * 1024 * 1024;

/** What starts of git need from the other rooms. */
export interface GitOptions {
  readonly workspace: Workspace;
  /** Places outside the workspace that the operator made readable, canonical. */
  readonly readableRoots?: readonly string[];
  /** Starts children. */
  readonly host: ChildHost;
  /** Variables of commands; only PATH, HOME and GIT_CONFIG_GLOBAL of them reach git. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /**
   * Prepares the start of a program that may read the workspace and `extraRules` and change nothing; the second layer
   * behind the settings, and the one that holds while a command rewrites the configuration between check and use.
   */
  readonly confine?: (argv: readonly string[], extraRules: readonly PathRule[]) => Promise<Launch>;
  /** False where `confine` surely keeps git from reading anything else, so that less has to be looked at. */
  readonly mayReadOutside?: () => Promise<boolean>;
  /** Milliseconds; only tests shorten it. */
  readonly deadlineMs?: number;
}

/** A repository ready for use. */
export interface OpenRepository extends Repository {
  /** True where the working tree does not count (`core.bare`). */
  readonly bare: boolean;
  /** Objects are named by SHA-256, else SHA-1 (`extensions.objectFormat`). */
  readonly sha256: boolean;
  /** Its configuration may name a working tree, wherever that lies (`core.worktree`). */
  readonly namesWorkTree: boolean;
  /** Content filters of its configuration, all switched off. */
  readonly filters: readonly string[];
  readonly settings: readonly (readonly [string, string])[];
  /** What git reads of it outside the workspace. */
  readonly outsideRules: readonly PathRule[];
}

/** What one start takes and where its output goes. */
export interface GitRun {
  readonly signal: AbortSignal;
  /** Written to its standard input, which is then closed; empty without it. */
  readonly input?: Uint8Array;
  /** Gets each piece of output; `false` ends git. */
  readonly onOutput: (chunk: Uint8Array) => boolean;
}

/** Security: nothing of the repository's configuration may run a program; see `_hardening.ts`. */
export class Git {
  readonly #options: GitOptions;
  #program: GitProgram | null = null;

  constructor(options: GitOptions) {
    this.#options = options;
  }

  get workspace(): Workspace {
    return this.#options.workspace;
  }

  /** Canonical absolute root of the workspace. */
  get root(): string {
    return this.workspace.root;
  }

  /**
   * Opens the repository of `directory` (absolute, canonical, inside the root); null when there is none.
   *
   * @throws ToolError GIT_ERROR when git is missing or the repository must not be used.
   */
  async open(directory: string, signal: AbortSignal): Promise<OpenRepository | null> {
    const looksDeep = await this.#options.mayReadOutside?.() ?? true;
    const bounds = { root: this.root, readableRoots: this.#options.readableRoots ?? [], looksDeep };
    const found = findRepository(bounds, directory);
    if (found === null) return null;
    const texts = configTexts(found);
    const plain: OpenRepository = {
      ...found,
      bare: found.top === null,
      sha256: texts.some((text) => /objectformat\s*=\s*"?sha256/i.test(text)),
      namesWorkTree: texts.some((text) => text.length >= SMALL_FILE_BYTES || /worktree\s*=/i.test(text)),
      filters: [],
      settings: [],
      outsideRules: rulesOutside(this.root, found),
    };
    if (!texts.some((text) => text.length >= SMALL_FILE_BYTES || needsListing(text))) return plain;
    const listing = splitNulTerminated(
      await this.read(plain, ["config", "--list", "-z", "--show-scope", "--includes"], { signal }),
    );
    const findings = inspectConfig(listing, { root: this.root, cwd: found.cwd });
    // A linked worktree has a working tree whatever the repository it belongs to says (git-worktree(1)).
    const bare = found.top === null || (findings.bare && found.commonDir === found.gitDir);
    return { ...plain, bare, filters: findings.filters, settings: findings.settings };
  }

  /**
   * Runs one git command in `repository` and resolves when it has ended, whatever its exit code.
   *
   * @throws ToolError GIT_ERROR when git is missing or the deadline passed.
   */
  async start(repository: OpenRepository, args: readonly string[], run: GitRun): Promise<ChildEnd> {
    const variables = await this.#options.environment();
    const searchPath = variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
    this.#program ??= await locateGit(this.#options.host, { searchPath, root: this.root });
    const env: Record<string, string> = {
      ...GIT_VARIABLES,
      ...settingVariables(repository.settings),
      PATH: searchPath,
      HOME: variables["HOME"] ?? "/nonexistent",
      GIT_CONFIG_GLOBAL: variables["GIT_CONFIG_GLOBAL"] ?? "/dev/null",
      GIT_DIR: repository.gitDir,
    };
    if (repository.top !== null && !repository.bare) env["GIT_WORK_TREE"] = repository.top;
    // Security: a bare repository that names a private place as its working tree gets the workspace instead.
    else if (repository.namesWorkTree) env["GIT_WORK_TREE"] = this.root;
    const end = await this.#run(repository, args, { ...run, env });
    if (end.timedOut) {
      throw new ToolError(
        "GIT_ERROR",
        `Cannot finish git ${args[0]}: it took longer than ${this.#deadlineMs / 1000} s`,
        {
          details: { reason: "deadline", retry_hint: "Narrow the call by path, or lower its limits." },
        },
      );
    }
    return end;
  }

  /** As `start()`, but a failure of git is thrown. @throws ToolError GIT_ERROR with git's own words */
  async stream(repository: OpenRepository, args: readonly string[], run: GitRun): Promise<void> {
    const end = await this.start(repository, args, run);
    if (!end.stopped && end.exitCode !== 0) throw gitFailed(args[0] as string, end);
  }

  /** All that a git command prints, at most 32 MiB. @throws ToolError GIT_ERROR */
  async read(
    repository: OpenRepository,
    args: readonly string[],
    { signal, input }: Pick<GitRun, "signal" | "input">,
  ): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    await this.stream(repository, args, {
      signal,
      ...(input === undefined ? {} : { input }),
      onOutput(chunk) {
        parts.push(chunk);
        bytes += chunk.length;
        return bytes < COLLECT_BYTES;
      },
    });
    return concatBytes(parts);
  }

  get #deadlineMs(): number {
    return this.#options.deadlineMs ?? DEADLINE_MS;
  }

  async #run(
    repository: OpenRepository,
    args: readonly string[],
    run: GitRun & { env: Record<string, string> },
  ): Promise<ChildEnd> {
    const program = this.#program as GitProgram;
    const argv = [program.path, "--no-pager", ...args];
    const launch = this.#options.confine === undefined
      ? { path: program.path, argv, inherit: [], statusRead: null, release: () => undefined }
      : await this.#options.confine(argv, [...repository.outsideRules, {
        path: program.path,
        access: "execute",
        required: false,
      }]);
    try {
      return await runChild(this.#options.host, {
        launch,
        cwd: repository.cwd,
        deadlineMs: this.#deadlineMs,
        ...run,
      });
    } catch (fault) {
      throw this.#explained(fault, program);
    }
  }

  #explained(fault: unknown, program: GitProgram): unknown {
    if (fault instanceof LaunchFailure) {
      const failure = launchError(fault, program.path);
      if (failure.code !== "COMMAND_SPAWN_FAILED") return failure;
      this.#program = null;
      return new ToolError("GIT_ERROR", failure.message, { details: failure.details, retryable: failure.retryable });
    }
    if (!(fault instanceof SystemError)) return fault;
    if (fault.errno === "E2BIG") {
      return new ToolError("INVALID_ARGUMENT", "Cannot pass these paths to git: together they are too long", {
        cause: fault,
        details: { argument: "paths", retry_hint: "Name fewer paths, or the directories they lie in." },
      });
    }
    // Removed or replaced since it was found: the next call looks again.
    this.#program = null;
    return new ToolError("GIT_ERROR", `Cannot start git: ${program.path}: ${fault.errno}`, {
      cause: fault,
      details: { errno: fault.errno, retry_hint: "Call again; git is looked up anew." },
      retryable: fault.errno === "EAGAIN" || fault.errno === "ENOMEM",
    });
  }
}

/** A `GIT_ERROR` with git's own words, its prefixes and hints left out. */
export function gitFailed(command: string, end: Pick<ChildEnd, "stderr" | "exitCode">): ToolError {
  const lines = end.stderr.split("\n").filter((line) => line !== "" && !/^(hint|warning|usage):/.test(line));
  const fact = (lines.find((line) => line.startsWith("fatal: ")) ?? lines[0] ?? `exit code ${end.exitCode}`)
    .replace(/^(fatal|error): /, "");
  return new ToolError("GIT_ERROR", `git ${command} failed: ${fact}`, {
    details: {
      exit_code: end.exitCode,
      stderr: lines.slice(0, 20).join("\n"),
      ...(/revision|ambiguous argument|object name|bad object/.test(fact)
        ? { retry_hint: "git_log and git_status show the commits and branches that are there." }
        : {}),
    },
  });
}

function configTexts(repository: Repository): string[] {
  const paths = new Set([
    join(repository.commonDir, "config"),
    join(repository.gitDir, "config.worktree"),
    join(repository.commonDir, "config.worktree"),
  ]);
  return [...paths].map((path) => readSmallFile(path) ?? "");
}

/** Places outside the workspace that a repository found trustworthy consists of, for reading. */
function rulesOutside(root: string, repository: Repository): PathRule[] {
  const isOutside = (path: string): boolean => path !== root && !path.startsWith(root + "/");
  const paths = [repository.gitDir, repository.commonDir].filter(isOutside);
  // What an alternate of a repository in the workspace may be was checked when it was found; above it, its owner decides.
  const isAbove = repository.top !== null && isOutside(repository.top);
  if (isAbove) paths.push(...alternatesOf(join(repository.commonDir, "objects")));
  // Ignore and attribute files above the workspace count for what lies in it (gitignore(5), gitattributes(5)).
  for (let at = root; isAbove && at !== repository.top;) {
    at = dirname(at);
    paths.push(join(at, ".gitignore"), join(at, ".gitattributes"));
  }
  return [...new Set(paths)].map((path) => ({ path, access: "read", required: false }));
}

function alternatesOf(objects: string): string[] {
  return (readSmallFile(join(objects, "info", "alternates")) ?? "").split("\n")
    .filter((line) => line !== "" && !line.startsWith("#")).map((line) => resolve(objects, line));
}
