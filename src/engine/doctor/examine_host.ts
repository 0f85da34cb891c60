/** Everything `vise doctor` finds out, in the order in which it is shown. */

import type { Config } from "../../config/config.ts";
import { createChildHost } from "../../platform/create_child_host.ts";
import type { Engines } from "../engines.ts";
import { clientRows } from "./client_rows.ts";
import type { DoctorRow } from "./doctor_row.ts";
import { hostRows } from "./host_rows.ts";
import { sandboxRows } from "./sandbox_rows.ts";

/** The rows for a server with `config` on this host. Tries the sandbox, starts `git --version`, changes nothing. */
export async function examineHost(config: Config, engines: Engines): Promise<DoctorRow[]> {
  const [sandbox, environment] = await Promise.all([engines.sandbox(), engines.environment()]);
  const rooms = { host: createChildHost(), toolchains: environment.toolchains() };
  return [
    ...sandboxRows(config, await sandbox.examine()),
    ...limitRows(config),
    filesRow(engines),
    await journalRow(engines),
    ...await hostRows(config, rooms),
    ...clientRows(config),
  ];
}

function limitRows({ limits }: Config): DoctorRow[] {
  const asked = [
    ...(limits.maxProcesses === null ? [] : [`${limits.maxProcesses} processes`]),
    ...(limits.maxMemoryMb === null ? [] : [`${limits.maxMemoryMb} MiB`]),
  ];
  if (asked.length === 0) return [];
  const means = `A watcher ends commands above ${asked.join(" and ")} (every 10–100 ms, no control group)`;
  return [{ id: "limits", state: "note", means, do: "" }];
}

function filesRow({ workspace }: Engines): DoctorRow {
  const { raceReason } = workspace.tree;
  if (raceReason === null) {
    const means = "The kernel keeps file tools inside the workspace, whoever swaps names for links meanwhile";
    return { id: "files", state: "ok", means, do: "" };
  }
  return {
    id: "files",
    state: "limited",
    means: `A name that is swapped for a link at the right moment may lead file tools outside (${raceReason})`,
    do: "Start with --allow-ffi on Linux.",
  };
}

async function journalRow(engines: Engines): Promise<DoctorRow> {
  const survives = (await engines.patch()).survivesPowerLoss();
  return {
    id: "journal",
    state: survives ? "ok" : "limited",
    means: survives
      ? "Changes of several files survive a crash and a power loss"
      : "Changes of several files survive a crash, not a power loss: there is no home directory for the journal",
    do: survives ? "" : "Set HOME or XDG_STATE_HOME to a directory of this user.",
  };
}
