/** The machine and the programs that figures depend on. */

import { cpus, release, totalmem } from "node:os";
import { versionOf } from "./command.ts";

/** What a reader needs to judge the figures. */
export interface Machine {
  readonly date: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /** Version by name. */
  readonly programs: Readonly<Record<string, string>>;
}

/** Asks the system and each program once. */
export async function describeMachine(): Promise<Machine> {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    system: `${Deno.build.os} ${release()} ${Deno.build.arch}`,
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryBytes: totalmem(),
    programs: {
      deno: Deno.version.deno,
      node: await versionOf("node"),
      ripgrep: await versionOf("rg"),
      git: await versionOf("git"),
      xz: await versionOf("xz"),
    },
  };
}
