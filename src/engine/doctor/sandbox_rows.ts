/** What confines commands here, right by right. */

import type { Config } from "../../config/config.ts";
import type { ConfinementFacts } from "../../platform/confinement.ts";
import { hasRight, scopeBits, tcpRights } from "../../platform/linux/landlock_rights.ts";
import { mutationPolicy } from "../sandbox/mutation_policy.ts";
import type { DoctorRow } from "./doctor_row.ts";

const NEWER_KERNEL = "Use a newer kernel.";

/** Rows about the sandbox for `config`. Pure. */
export function sandboxRows(config: Config, facts: ConfinementFacts): DoctorRow[] {
  const dangerous = config.permissionMode === "dangerous";
  const rows = [confinementRow(config, facts)];
  if (facts.mechanism === "landlock" && facts.abi !== null) rows.push(...rightRows(facts.abi));
  if (facts.launcher !== null) rows.push(launcherRow(facts.launcher));
  rows.push(sealingRow(facts), networkRow(config, facts), unixSocketRow(config, facts));
  const policy = mutationPolicy(config, facts.abi);
  if (policy.mode === "structured-only") {
    rows.push({
      id: "structured_only",
      state: policy.enforced ? "ok" : "failed",
      means: policy.enforced ? "The kernel keeps commands from changing the workspace" : policy.warnings.join("; "),
      do: policy.enforced ? "" : "Leave dangerous mode, or use a kernel with Landlock version 3 (Linux 6.2).",
    });
  }
  if (config.requireSandbox) {
    const kept = facts.reason === null && facts.fault === null && !dangerous;
    rows.push({
      id: "require_sandbox",
      state: kept ? "ok" : "failed",
      means: kept ? "Commands are refused where the sandbox is not complete" : "Every command will be refused",
      do: kept ? "" : "Drop --require-sandbox, or make the sandbox work.",
    });
  }
  return rows;
}

function confinementRow(config: Config, facts: ConfinementFacts): DoctorRow {
  if (config.permissionMode === "dangerous") {
    return {
      id: "sandbox",
      state: "limited",
      means: "Dangerous mode: commands run without any restriction",
      do: "Start without --dangerously-skip-all-permissions for a sandbox.",
    };
  }
  if (facts.fault !== null) {
    return {
      id: "sandbox",
      state: "failed",
      means: `Landlock is there, but a confined start fails, so every command is refused: ${facts.fault}`,
      do:
        "Look for a container filter or a security module that forbids landlock_restrict_self, seccomp or memfd_create.",
    };
  }
  if (facts.mechanism === "none") {
    return {
      id: "sandbox",
      state: "failed",
      means: `Commands are not confined: ${facts.reason}`,
      do: "Use Linux 5.13 or newer with `landlock` among the active security modules (`lsm=` at boot), and allow FFI.",
    };
  }
  const how = facts.mechanism === "landlock"
    ? `Landlock version ${facts.abi} and seccomp confine each command; a forbidden open was refused in the self-test`
    : "A Seatbelt profile confines each command (never tested on macOS)";
  return { id: "sandbox", state: "ok", means: how, do: "" };
}

function rightRows(abi: number): DoctorRow[] {
  const row = (id: string, has: boolean, words: { yes: string; no: string }): DoctorRow => ({
    id,
    state: has ? "ok" : "limited",
    means: has ? words.yes : words.no,
    do: has ? "" : NEWER_KERNEL,
  });
  return [
    row("landlock_refer", hasRight("REFER", abi), {
      yes: "Files can be moved between directories inside the workspace",
      no: "Moving files between directories fails inside commands (Landlock version 2, Linux 5.19)",
    }),
    row("landlock_truncate", hasRight("TRUNCATE", abi), {
      yes: "Truncating files outside is refused",
      no: "Truncating files outside is not refused (Landlock version 3, Linux 6.2)",
    }),
    row("landlock_ioctl", hasRight("IOCTL_DEV", abi), {
      yes: "Device control outside the allowed devices is refused",
      no: "Device control is not restricted (Landlock version 5, Linux 6.10)",
    }),
    row("landlock_tcp", tcpRights(abi) !== 0, {
      yes: "TCP is refused by Landlock and by seccomp",
      no: "TCP is refused by seccomp alone (Landlock version 4, Linux 6.7)",
    }),
    row("landlock_scopes", scopeBits(abi) !== 0, {
      yes: "A command cannot signal processes outside it, nor reach their abstract sockets",
      no: "A command can signal other processes of this user (Landlock version 6, Linux 6.12)",
    }),
  ];
}

function launcherRow(launcher: "memory" | "file"): DoctorRow {
  const inMemory = launcher === "memory";
  return {
    id: "launcher",
    state: inMemory ? "ok" : "note",
    means: inMemory
      ? "The launcher is kept in sealed memory"
      : "Executing memory is forbidden here; the launcher is a file in the private runtime directory",
    do: "",
  };
}

function sealingRow(facts: ConfinementFacts): DoctorRow {
  if (facts.noSealing === null) {
    return {
      id: "attributes",
      state: "ok",
      means: "Modes, owners and times of files outside cannot be changed",
      do: "",
    };
  }
  return {
    id: "attributes",
    state: "limited",
    means: `A command can change modes, owners and times of this user's files outside: ${facts.noSealing}`,
    do: "Permit user namespaces to this user, or run the server as root in a container.",
  };
}

function networkRow(config: Config, facts: ConfinementFacts): DoctorRow {
  const { network } = config;
  if (config.permissionMode === "dangerous" || network === "open") {
    return { id: "network", state: "note", means: "Commands reach the whole network", do: "" };
  }
  if (facts.reason !== null && facts.launcher === null) {
    return { id: "network", state: "failed", means: `The network of commands is open: ${facts.reason}`, do: "" };
  }
  if (network === "none") {
    const loopback = facts.noLoopback === null ? "possible with --network loopback" : "not possible here";
    return { id: "network", state: "ok", means: `Commands have no network; a private loopback is ${loopback}`, do: "" };
  }
  return facts.noLoopback === null
    ? { id: "network", state: "ok", means: "Commands have a private loopback and nothing else", do: "" }
    : {
      id: "network",
      state: "failed",
      means: `--network loopback is not possible, commands get none: ${facts.noLoopback}`,
      do: "Permit user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0).",
    };
}

function unixSocketRow(config: Config, facts: ConfinementFacts): DoctorRow {
  const refused = facts.mechanism === "landlock" && facts.abi !== null && hasRight("RESOLVE_UNIX", facts.abi);
  const closed = config.network === "none" && config.permissionMode !== "dangerous" && facts.launcher !== null;
  if (refused || closed) {
    const how = closed ? "commands cannot connect to any socket" : "Landlock refuses sockets outside the workspace";
    return { id: "unix_sockets", state: "ok", means: `Docker, D-Bus and agents are out of reach: ${how}`, do: "" };
  }
  return {
    id: "unix_sockets",
    state: "limited",
    means: "Unix sockets that are paths (Docker, D-Bus, agents) are reachable, and with them what they can do",
    do: "Use --network none, or run the server as a user who may not use such sockets.",
  };
}
