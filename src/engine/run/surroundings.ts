/** What a command needs from the rooms around it: the policy's verdict, an environment, a confined start. */

import type { Diagnostic, ToolError } from "../../base/tool_error.ts";
import type { NetworkReach } from "../../config/config.ts";
import type { ExitFacts, LaunchFailure } from "../../platform/child.ts";
import type { Launch } from "../../platform/launch.ts";
import type { SandboxReport } from "../sandbox/report.ts";

/** What a client asked for, after the checks of this room. */
export interface CommandText {
  readonly cmd: string;
  /** Workspace-relative, resolved. */
  readonly workdir: string;
  /** Absolute. */
  readonly cwd: string;
  /** Variables that the caller sets. */
  readonly env: Readonly<Record<string, string>>;
  readonly hasTerminal: boolean;
  /** Who asks (a digest), empty on stdio; grants are bound to it. */
  readonly principal: string;
  /** Whether the client can ask its user, which a refusal then names. */
  readonly canAsk: boolean;
}

/** One command ready to start. */
export interface PreparedCommand {
  readonly launch: Launch;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: SandboxReport;
  /** Sentences for the first answer: confinement weaker than asked for, and the like. */
  readonly warnings: readonly string[];
  /** Called once, when the command has ended: what it changed that runs later outside the sandbox (O-26). */
  readonly afterwards?: () => readonly string[];
}

/** What the output of one response tells about refusals (contract 1.7, O-39). */
export interface OutputFacts {
  readonly stdout: string;
  readonly stderr: string;
  /** Null while it runs. */
  readonly exit: ExitFacts | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  readonly sandbox: SandboxReport;
}

/** What the policy lets a command do. Void unless the command starts before anything else runs. */
export interface Permit {
  readonly network: NetworkReach;
  /** Uses up what was given for one call. */
  readonly use: () => void;
}

/** Two of them exist: confined ones for a run, bare ones for a system that has nothing. */
export interface CommandSurroundings {
  /** The program that gets `-c` and the command. Absolute. */
  readonly shell: string;
  /** @throws ToolError `PERMISSION_REQUIRED` */
  permit(command: CommandText): Permit;
  /** Uses `permit` before it waits for anything. @throws ToolError `RUNTIME_DIR_UNWRITABLE`, `SANDBOX_UNAVAILABLE` */
  prepare(command: CommandText, start: { commandId: string; permit: Permit }): Promise<PreparedCommand>;
  /** What the output says of its environment, such as a missing program or a refused write. */
  diagnose(facts: OutputFacts): readonly Diagnostic[];
  /** Where the record of running commands is kept (`process_record.ts`); null: nowhere. Its directory exists after the first `prepare`. */
  recordPath(): string | null;
  /** The failure of a start whose process existed but never became the program. */
  explainLaunch(failure: LaunchFailure): ToolError;
}
