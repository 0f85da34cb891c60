/** Which words of a command are paths, and whether they stay in the workspace (contract 5.4, filesystem_escape). */

import type { PermissionMode } from "../../config/config.ts";
import { interpreterCall } from "./interpreter_call.ts";
import { type OptionRule, scanLeadingOptions, scanOptions } from "./option_scan.ts";
import { type SeenCommand, type ShellReading, type ShellWord, UNKNOWN_PART } from "./shell_reading.ts";
import { ENV_OPTIONS } from "./wrappers.ts";

/** Where a relative path really leads; answers for a missing path come from its nearest existing ancestor. */
export type LocatePath = (relativePath: string) => "inside" | "outside";

/** What the gate has to know of the place. */
export interface PathGateFacts {
  readonly mode: PermissionMode;
  readonly locate: LocatePath;
  /** Whether an absolute path lies in the runtime directories of the commands. */
  readonly isRuntimePath: (absolute: string) => boolean;
}

/** Commands whose path-like arguments are all files they touch. */
const FILE_COMMANDS: ReadonlySet<string> = new Set([
  "cat",
  "cd",
  "chdir",
  "chmod",
  "chown",
  "cp",
  "head",
  "less",
  "ln",
  "ls",
  "mkdir",
  "more",
  "mv",
  "rm",
  "rmdir",
  "stat",
  "tail",
  "touch",
  "wc",
]);

/** Commands whose first operand is a pattern or program, with their options that take a value. */
const PATTERN_COMMANDS: Readonly<Record<string, OptionRule>> = {
  grep: { short: "efABCmdD", long: ["--regexp", "--file"] },
  egrep: { short: "efABCmdD", long: ["--regexp", "--file"] },
  fgrep: { short: "efABCmdD", long: ["--regexp", "--file"] },
  rg: {
    short: "efgABCmMtTjrE",
    long: ["--regexp", "--file", "--glob", "--iglob", "--type", "--type-not", "--replace", "--max-depth", "--sort"],
  },
  sed: { short: "efl", long: ["--expression", "--file", "--line-length"] },
  awk: { short: "fFv", long: ["--file", "--field-separator", "--assign"] },
  gawk: { short: "fFv", long: ["--file", "--field-separator", "--assign"] },
};

/** Options that give the pattern, so that every operand is a file. */
const PATTERN_OPTIONS = /^(-\w*[ef]|--regexp|--file|--expression)$/;

const DEVICE = /^\/dev\/(null|zero|random|urandom|stdin|stdout|stderr|tty|full|fd\/\d+)$/;

/** The first path that leaves the workspace, as written; null when none does. */
export function escapingPath(reading: ShellReading, facts: PathGateFacts): string | null {
  const words = [
    ...reading.redirects.filter(({ operator, target }) => !isDescriptor(operator, target)).map(({ target }) => target),
    ...reading.commands.flatMap(pathWords),
  ];
  return words.find((word) => leavesWorkspace(word, facts))?.value ?? null;
}

/** `>&1`, `<&-`: descriptors, not files. */
function isDescriptor(operator: string, target: ShellWord): boolean {
  return operator.includes("&") && /^(\d+-?|-)$/.test(target.value);
}

function pathWords({ name, args }: SeenCommand): ShellWord[] {
  if (FILE_COMMANDS.has(name)) return operandsOf(args).filter(isPathLike);
  if (Object.hasOwn(PATTERN_COMMANDS, name)) return patternOperands(name, args);
  if (name === "find") return findRoots(args);
  if (name === "env") {
    const { options } = scanLeadingOptions(args, ENV_OPTIONS);
    return options.flatMap((option) => /^(-\w*C|--chdir)$/.test(option.name) && option.value ? [option.value] : []);
  }
  const script = interpreterCall(name, args)?.script;
  return script ? [script] : [];
}

function operandsOf(args: readonly ShellWord[]): ShellWord[] {
  const end = args.findIndex(({ value }) => value === "--");
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter(({ value }) => !value.startsWith("-")), ...(end < 0 ? [] : args.slice(end + 1))];
}

function patternOperands(name: string, args: readonly ShellWord[]): ShellWord[] {
  const { options, operands } = scanOptions(args, PATTERN_COMMANDS[name] as OptionRule);
  const patternGiven = options.some((option) => PATTERN_OPTIONS.test(option.name)) ||
    (name === "rg" && options.some((option) => option.name === "--files"));
  return (patternGiven ? operands : operands.slice(1)).filter(isPathLike);
}

function findRoots(args: readonly ShellWord[]): ShellWord[] {
  const roots: ShellWord[] = [];
  for (const word of args) {
    if (/^-([HLP]|O\d?)$/.test(word.value)) continue;
    if (/^[-!(]/.test(word.value)) break;
    roots.push(word);
  }
  return roots.filter(isPathLike);
}

function isPathLike({ value, tilde }: ShellWord): boolean {
  return tilde || /[./]|^[A-Za-z]:\\/.test(value);
}

function leavesWorkspace(word: ShellWord, facts: PathGateFacts): boolean {
  const path = word.skeleton.replaceAll("\\", "/");
  if (path === "" || path === "-" || path === "--" || /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path)) return false;
  if (DEVICE.test(path)) return false;
  const steps = path.split("/");
  // Every command may read /proc, and the kernel keeps other processes' secrets in it closed (O-32): trusted mode leaves
  // it to the kernel.
  if (facts.mode !== "safe" && steps[1] === "proc" && path.startsWith("/") && !steps.includes("..")) return false;
  if (path.startsWith("/")) return steps.includes("..") || word.dynamic || !facts.isRuntimePath(path);
  if (word.tilde || /^[A-Za-z]:\//.test(path) || steps.includes("..")) return true;
  // Only the shell knows what `$X/y` is: the kernel decides about it.
  if (path.includes(UNKNOWN_PART)) return false;
  return facts.locate(path) === "outside";
}
