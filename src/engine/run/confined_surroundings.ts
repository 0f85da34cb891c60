/** The surroundings of a real run: policy, environment and sandbox in the order of contract 4.2. */

import { join } from "node:path";
import type { Diagnostic, ToolError } from "../../base/tool_error.ts";
import type { Config } from "../../config/config.ts";
import type { LaunchFailure } from "../../platform/child.ts";
import type { EnvironmentEngine } from "../environment/environment_engine.ts";
import { findTrustedProgram } from "../environment/find_trusted_program.ts";
import { resolveOutside } from "../environment/resolve_outside.ts";
import { diagnose } from "../policy/diagnose.ts";
import { NamePresence } from "../policy/name_presence.ts";
import { PlantedFiles } from "../policy/planted_files.ts";
import type { PolicyEngine } from "../policy/policy_engine.ts";
import { explainDenial } from "../sandbox/explain_denial.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { launchError } from "../sandbox/sandbox_error.ts";
import { findProgram } from "./find_program.ts";
import { PROCESS_RECORD_SUFFIX } from "./process_record.ts";
import { COMMAND_MARKER } from "./process_tree.ts";
import type { CommandSurroundings, CommandText, OutputFacts, Permit, PreparedCommand } from "./surroundings.ts";

/** POSIX requires it, and it is what remains when PATH has none. */
const LAST_SHELL = "/bin/sh";

/** The engines that are asked, in this order. */
export interface SurroundingRooms {
  readonly config: Config;
  readonly policy: PolicyEngine;
  readonly environment: EnvironmentEngine;
  readonly sandbox: Sandbox;
}

/** Every start passes the policy and is confined as far as this system can. */
export class ConfinedSurroundings implements CommandSurroundings {
  readonly shell: string;
  readonly #rooms: SurroundingRooms;
  readonly #presence = new NamePresence();

  constructor(rooms: SurroundingRooms) {
    this.#rooms = rooms;
    this.shell = commandShell(rooms.config);
  }

  permit(command: CommandText): Permit {
    return this.#rooms.policy.check({
      cmd: command.cmd,
      workdir: command.cwd,
      callEnv: command.env,
      principal: command.principal,
      canAsk: command.canAsk,
    });
  }

  async prepare(
    command: CommandText,
    { commandId, permit }: { commandId: string; permit: Permit },
  ): Promise<PreparedCommand> {
    const { config, environment, sandbox } = this.#rooms;
    permit.use();
    const { env } = await environment.build({ callEnv: command.env, tty: command.hasTerminal, commandId });
    const start = await sandbox.prepare([this.shell, "-c", command.cmd], {
      purpose: "command",
      network: permit.network,
      // A shell that the operator named may lie where commands otherwise see nothing.
      // Security: in the workspace, where it needs no rule, a rule would follow the link that a command put there.
      ...(config.shell === null || resolveOutside(this.shell, config.workspace) === null
        ? {}
        : { extraRules: [{ path: this.shell, access: "execute", required: false }] }),
    });
    const planted = start.plan.confined
      ? new PlantedFiles(this.#rooms.config.workspace, command.cwd, this.#presence)
      : null;
    return {
      launch: start.launch,
      // The marker by which its processes are found again is not the caller's to set.
      env: { ...env, [COMMAND_MARKER]: commandId },
      sandbox: start.report,
      warnings: start.warnings,
      ...(planted === null ? {} : { afterwards: () => planted.warnings() }),
    };
  }

  diagnose(facts: OutputFacts): readonly Diagnostic[] {
    const { config, environment } = this.#rooms;
    const output = { stdout: facts.stdout, stderr: facts.stderr, exitCode: facts.exit?.exitCode ?? null };
    const denials = explainDenial({
      ...output,
      report: facts.sandbox,
      workspace: config.workspace,
      writableRoots: environment.runtime.writableRoots,
      workspaceReadOnly: config.workspaceMutation === "structured-only",
    });
    const general = diagnose({
      ...output,
      timedOut: facts.timedOut,
      truncated: facts.truncated,
      filesystemConfined: facts.sandbox.filesystem === "confined",
      network: facts.sandbox.network,
    });
    // One line is explained once, by the rule that knows the path, the right and the flag.
    const explained = new Set(denials.map(({ evidence }) => evidence));
    return [...denials, ...general.filter(({ evidence }) => evidence === undefined || !explained.has(evidence))];
  }

  recordPath(): string {
    return this.#rooms.environment.runtime.sidePath(PROCESS_RECORD_SUFFIX);
  }

  explainLaunch(failure: LaunchFailure): ToolError {
    return launchError(failure, this.shell);
  }
}

/**
 * The program that gets `-c`: the configured one, else `sh` from the server's PATH. Absolute; for a configured one that
 * PATH does not have a path with nothing behind it, because commands written for one shell must not run in another.
 */
export function commandShell(config: Config): string {
  const searchPath = config.environment["PATH"] ?? "";
  if (config.shell !== null) return findProgram(config.shell, searchPath) ?? join("/", config.shell);
  return findTrustedProgram("sh", { searchPath, workspace: config.workspace }) ?? LAST_SHELL;
}
