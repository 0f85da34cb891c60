/** Bare programs, for the floor. */

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

/** Whether a program can be started at all. */
export async function isThere(program: string, argument = "--version"): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: [argument], stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

/** First line of what a program says of its version, or "not there". */
export async function versionOf(program: string, argument = "--version"): Promise<string> {
  try {
    const { stdout, stderr } = await new Deno.Command(program, { args: [argument] }).output();
    const text = new TextDecoder().decode(stdout.length > 0 ? stdout : stderr);
    return text.split("\n")[0]?.trim() ?? "";
  } catch {
    return "not there";
  }
}
