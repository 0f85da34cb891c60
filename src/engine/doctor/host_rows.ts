/** What the host offers besides the sandbox. */

import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import process from "node:process";
import type { Config } from "../../config/config.ts";
import type { ChildHost } from "../../platform/child.ts";
import { permissionStates } from "../../platform/permission_states.ts";
import type { Toolchain } from "../environment/toolchains.ts";
import { commandShell } from "../run/confined_surroundings.ts";
import { findTrustedProgram } from "../environment/find_trusted_program.ts";
import { runChild } from "../run/run_child.ts";
import type { DoctorRow } from "./doctor_row.ts";
import { ownUser } from "../../platform/own_user.ts";

/** A version line is a few words; git answers in a few milliseconds. */
const VERSION_BYTES = 4_096;
/** A thousand times what it takes: a slower program hangs. */
const VERSION_DEADLINE_MS = 5_000;
/** Marks that container engines leave. */
const CONTAINER_FILES = ["/.dockerenv", "/run/.containerenv", "/.flatpak-info"] as const;

/** Rows about system, user, container, terminal, programs and permissions. Starts `git --version` and nothing else. */
export async function hostRows(
  config: Config,
  rooms: { readonly host: ChildHost; readonly toolchains: readonly Toolchain[] },
): Promise<DoctorRow[]> {
  return [
    { id: "system", state: "note", means: `${process.platform} ${kernelRelease()} on ${process.arch}`, do: "" },
    ...userRows(),
    containerRow(),
    terminalRow(rooms.host),
    shellRow(config),
    await gitRow(config, rooms.host),
    ...toolchainRows(config, rooms.toolchains),
    ...permissionRows(config.workspace),
  ];
}

function kernelRelease(): string {
  try {
    return release();
  } catch {
    return "(version not readable without --allow-sys)";
  }
}

function userRows(): DoctorRow[] {
  if (ownUser()?.uid !== 0) return [];
  return [{
    id: "user",
    state: "note",
    means: "The server runs as root; commands keep root's rights over files in the sandbox and lose all others",
    do: "Run it as an ordinary user where you can.",
  }];
}

function containerRow(): DoctorRow {
  const mark = CONTAINER_FILES.find((path) => existsSync(path)) ?? containerFromEnvironment();
  return {
    id: "container",
    state: "note",
    means: mark === null
      ? "No sign of a container"
      : `Probably in a container (${mark}); its own filters may forbid parts of the sandbox`,
    do: "",
  };
}

/** systemd and podman name the kind of container in the environment of the first process. */
function containerFromEnvironment(): string | null {
  try {
    const control = readFileSync("/proc/1/cgroup", "latin1");
    return /docker|kubepods|containerd|lxc|libpod/.test(control) ? "control group of process 1" : null;
  } catch {
    // Not Linux, or not readable: no hint.
    return null;
  }
}

function terminalRow(host: ChildHost): DoctorRow {
  const refusal = host.terminalRefusal;
  return refusal === null
    ? { id: "terminal", state: "ok", means: "Commands can have a terminal", do: "" }
    : { id: "terminal", state: "limited", means: `Commands with tty are refused: ${refusal}`, do: "Allow FFI." };
}

function shellRow(config: Config): DoctorRow {
  const shell = commandShell(config);
  if (existsSync(shell)) return { id: "shell", state: "ok", means: `Commands run in ${shell}`, do: "" };
  return {
    id: "shell",
    state: "failed",
    means: `The command shell ${shell} is not there`,
    do: "Install a POSIX shell or name one with --shell.",
  };
}

async function gitRow(config: Config, host: ChildHost): Promise<DoctorRow> {
  const path = config.environment["PATH"] ?? "";
  const program = findTrustedProgram("git", { searchPath: path, workspace: config.workspace });
  if (program === null) {
    return {
      id: "git",
      state: "limited",
      means: "git is not on PATH: the git tools report an error",
      do: "Install git.",
    };
  }
  try {
    const { stdout, exit } = await runChild(host, {
      argv: [program, "--version"],
      env: { PATH: path, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
      cwd: "/",
      maxBytes: VERSION_BYTES,
      deadlineMs: VERSION_DEADLINE_MS,
    });
    const version = new TextDecoder().decode(stdout).trim();
    if (exit.exitCode === 0) return { id: "git", state: "ok", means: `${version} at ${program}`, do: "" };
    return { id: "git", state: "limited", means: `${program} does not run`, do: "Repair the installation of git." };
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    return { id: "git", state: "limited", means: `${program} cannot be started: ${reason}`, do: "" };
  }
}

function toolchainRows(config: Config, toolchains: readonly Toolchain[]): DoctorRow[] {
  if (config.toolchains === "none") {
    return [{
      id: "toolchains",
      state: "note",
      means: "Toolchains on PATH are not opened (--toolchains none)",
      do: "",
    }];
  }
  return [{
    id: "toolchains",
    state: "ok",
    means: toolchains.length === 0
      ? "No toolchain outside the system directories is on PATH"
      : `Readable for commands: ${toolchains.map(({ kind, home }) => `${kind} (${home})`).join(", ")}`,
    do: "",
  }];
}

/** What is lost without a permission; the rest goes on working (O-53). */
const LOSSES = {
  ffi: "no sandbox, no terminals, no race-free opening of files",
  read: "files cannot be read",
  write: "files cannot be changed",
  run: "",
  net: "",
  env: "settings in the environment are not seen",
  sys: "",
} as const;

function permissionRows(workspace: string): DoctorRow[] {
  const states = permissionStates(workspace);
  const rows: DoctorRow[] = [];
  for (const [name, loss] of Object.entries(LOSSES)) {
    const state = states[name as keyof typeof LOSSES];
    if (loss === "" || state === "granted") continue;
    const partial = state === "partial";
    rows.push({
      id: `permission_${name}`,
      state: partial ? "note" : "limited",
      means: partial
        ? `The permission ${name} is given for the workspace`
        : `The permission ${name} is missing: ${loss}`,
      do: partial ? "" : `Start with --allow-${name}.`,
    });
  }
  if (rows.length === 0) {
    rows.push({
      id: "permissions",
      state: "ok",
      means: "The runtime permissions that the server uses are given",
      do: "",
    });
  }
  return rows;
}
