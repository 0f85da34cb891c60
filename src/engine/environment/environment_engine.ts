/** What every command and git helper of this run starts with: variables, private directories, toolchains. */

import type { Config } from "../../config/config.ts";
import { commandEnvironment } from "./command_environment.ts";
import { excludesFileOf, type GitSettings, readGitSettings, writeGitConfiguration } from "./git_configuration.ts";
import { RuntimeDirs, type RuntimePaths } from "./runtime_dirs.ts";
import { findToolchains, type Toolchain } from "./toolchains.ts";
import { ownUser } from "../../platform/own_user.ts";

/** What one start adds to what all starts have. */
export interface BuildRequest {
  /** Variables of the call; already admitted by the policy. */
  readonly callEnv?: Readonly<Record<string, string>>;
  readonly tty?: boolean;
  /** Id of the command (`VISE_COMMAND`); left out for helpers. */
  readonly commandId?: string;
}

/** The variables of one start, complete. */
export interface BuiltEnvironment {
  readonly env: Record<string, string>;
  /** Existing directories of this run. */
  readonly runtime: RuntimePaths;
}

/** One per run; closing it removes the private directories. */
export class EnvironmentEngine {
  readonly #config: Config;
  readonly #runtime: RuntimeDirs;
  #toolchains: readonly Toolchain[] | undefined;
  #settings: Promise<GitSettings> | undefined;
  #gitFiles: Promise<readonly string[]> | undefined;

  constructor(config: Config) {
    this.#config = config;
    this.#runtime = new RuntimeDirs({
      root: config.workspace,
      runtimeRoot: config.runtimeRoot,
      cacheDir: config.cacheDir,
      uid: ownUser()?.uid ?? null,
    });
  }

  /** Private directories; known before they exist. */
  get runtime(): RuntimeDirs {
    return this.#runtime;
  }

  /**
   * The environment of one command. Creates the runtime directories and the generated git configuration on first use.
   * @throws ToolError RUNTIME_DIR_UNWRITABLE, COMMAND_CLOSED while the server shuts down
   */
  async build(request: BuildRequest = {}): Promise<BuiltEnvironment> {
    const runtime = this.#runtime.ensure();
    const gitFiles = await this.readableFiles();
    const env = commandEnvironment(this.#config, {
      callEnv: request.callEnv ?? {},
      tty: request.tty ?? false,
      commandId: request.commandId ?? null,
      home: runtime.home,
      tmp: runtime.tmp,
      cache: runtime.cache,
      cacheIsKept: this.#runtime.cacheIsKept,
      gitConfigGlobal: gitFiles[0] ?? null,
      toolchainEnv: Object.assign({}, ...this.toolchains().map((toolchain) => toolchain.env)),
    });
    return { env, runtime };
  }

  /** The environment of git helpers: that of commands with an empty call environment (contract 4.8). */
  async gitEnvironment(): Promise<Record<string, string>> {
    return (await this.build()).env;
  }

  /** Toolchains on PATH, found once; empty with `--toolchains none`. */
  toolchains(): readonly Toolchain[] {
    this.#toolchains ??= this.#config.toolchains === "none" ? [] : findToolchains({
      environment: this.#config.environment,
      home: this.#config.environment.HOME ?? null,
      workspace: this.#config.workspace,
    });
    return this.#toolchains;
  }

  /** Generated files that commands must be able to read: the git configuration first, then the copied ignore rules. */
  readableFiles(): Promise<readonly string[]> {
    this.#gitFiles ??= this.#writeGitFiles();
    return this.#gitFiles;
  }

  /** The user's global ignore file (`core.excludesFile` or git's default); null when git knows none. */
  async userExcludesFile(): Promise<string | null> {
    return excludesFileOf({ settings: await this.#gitSettings(), environment: this.#config.environment });
  }

  /** Removes the runtime directories. */
  close(): void {
    this.#runtime.close();
  }

  #gitSettings(): Promise<GitSettings> {
    this.#settings ??= readGitSettings({ environment: this.#config.environment, root: this.#config.workspace });
    return this.#settings;
  }

  async #writeGitFiles(): Promise<readonly string[]> {
    this.#runtime.ensure();
    const settings = await this.#gitSettings();
    try {
      return writeGitConfiguration({
        settings,
        environment: this.#config.environment,
        root: this.#config.workspace,
        path: this.#runtime.sidePath("gitconfig"),
        excludesPath: this.#runtime.sidePath("gitexcludes"),
      });
    } catch {
      // Without the file git works with its own defaults; the commands themselves are not held up by it.
      return [];
    }
  }
}
