/** Bare programs, for the floor. */

import { statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";

/** Runs a program with its output thrown away. @throws Error when it does not end with one of `codes` */
export async function runProgram(
  command: readonly string[],
  { cwd, codes = [0] }: { cwd: string; codes?: readonly number[] },
): Promise<void> {
  const [program = "", ...args] = command;
  const { code } = await new Deno.Command(program, { args, cwd, stdin: "null", stdout: "null", stderr: "null" })
    .output();
  if (!codes.includes(code)) throw new Error(`${program} ended with ${code}`);
}

/** Where Deno keeps the `node` that it puts on PATH when there is none: it is Deno, and would be measured as such. */
const STAND_INS = "node_compat_bin";

/** Where a program stands on PATH; null when it does not. */
export function findProgram(program: string): string | null {
  const suffixes = Deno.build.os === "windows" ? [".exe", ".cmd", ""] : [""];
  for (const directory of (Deno.env.get("PATH") ?? "").split(delimiter)) {
    if (directory === "" || basename(directory) === STAND_INS) continue;
    for (const suffix of suffixes) {
      const path = join(directory, program + suffix);
      if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
    }
  }
  return null;
}

/** Whether a program is on PATH and can be started. */
export async function isThere(program: string, argument = "--version"): Promise<boolean> {
  const path = findProgram(program);
  if (path === null) return false;
  try {
    return (await new Deno.Command(path, { args: [argument], stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

/** First line of what a program says of its version, or "not there". */
export async function versionOf(program: string, argument = "--version"): Promise<string> {
  if (!await isThere(program, argument)) return "not there";
  const { stdout, stderr } = await new Deno.Command(findProgram(program) ?? program, { args: [argument] }).output();
  const text = new TextDecoder().decode(stdout.length > 0 ? stdout : stderr);
  return text.split("\n")[0]?.trim() ?? "";
}
