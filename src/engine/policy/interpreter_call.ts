/** Programs that run code given to them: where the code is and which file they run otherwise. */

import { clusterHolds, scanLeadingOptions } from "./option_scan.ts";
import type { ShellWord } from "./shell_reading.ts";

/** How one call of an interpreter gets its code. */
export interface InterpreterCall {
  /** `sh` when the code is shell text that can be read in turn. */
  readonly language: "sh" | "other";
  /** Option that carries the code; null when there is none. */
  readonly option: string | null;
  /** The code of `option`. */
  readonly code: ShellWord | null;
  /** File that is run; null when it would read its standard input. */
  readonly script: ShellWord | null;
  /** Whether standard input is code: no code option, no script, no module. */
  readonly readsInput: boolean;
}

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "rbash", "fish"]);

/** An interpreter that is not a shell. */
interface Interpreter {
  /** Short options that carry code, alone or at the end of a cluster. */
  readonly codeShort: string;
  readonly codeLong: readonly string[];
  /** Short options with a value; those of `codeShort` are added. */
  readonly valueShort: string;
  readonly valueLong: readonly string[];
  /** Short option that names a module to run. */
  readonly moduleShort?: string;
}

const PYTHON: Interpreter = { codeShort: "c", codeLong: [], valueShort: "WXQ", valueLong: [], moduleShort: "m" };
const NODE: Interpreter = {
  codeShort: "ep",
  codeLong: ["--eval", "--print"],
  valueShort: "rC",
  valueLong: ["--require", "--import", "--loader", "--conditions", "--input-type", "--env-file"],
};
const PERL: Interpreter = { codeShort: "eE", codeLong: [], valueShort: "IMm", valueLong: [] };
const RUBY: Interpreter = { codeShort: "e", codeLong: [], valueShort: "IrCE", valueLong: [] };
const LUA: Interpreter = { codeShort: "e", codeLong: [], valueShort: "l", valueLong: [] };
const PHP: Interpreter = { codeShort: "rBRE", codeLong: ["--run"], valueShort: "dcz", valueLong: [], moduleShort: "S" };
const PLAIN_E: Interpreter = { codeShort: "e", codeLong: ["--eval"], valueShort: "", valueLong: [] };

const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map(Object.entries({
  python: PYTHON,
  pypy: PYTHON,
  node: NODE,
  nodejs: NODE,
  bun: NODE,
  tsx: NODE,
  "ts-node": NODE,
  perl: PERL,
  ruby: RUBY,
  lua: LUA,
  luajit: LUA,
  php: PHP,
  osascript: PLAIN_E,
  rscript: PLAIN_E,
  julia: PLAIN_E,
  elixir: PLAIN_E,
}));

/** Whether `name` (lower-case base name) is a shell. */
function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** How `name` with `args` gets its code; null for a program that is no interpreter. */
export function interpreterCall(name: string, args: readonly ShellWord[]): InterpreterCall | null {
  const call = plainCall(name, args);
  if (call?.script && INPUT_AS_FILE.test(call.script.value)) return { ...call, script: null, readsInput: true };
  return call;
}

/** Standard input under the name of a file. */
const INPUT_AS_FILE = /^\/(?:dev\/stdin|(?:dev|proc\/(?:self|thread-self))\/fd\/0)$/;

function plainCall(name: string, args: readonly ShellWord[]): InterpreterCall | null {
  if (isShell(name)) return shellCall(args);
  if (name === "." || name === "source") return sourceCall(args);
  if (name === "deno") return denoCall(args);
  // python3, python3.12, pypy3, ruby3.2, perl5.36, lua5.4, php8.3: the version belongs to the program's name.
  const interpreter = INTERPRETERS.get(name.replace(/-?[\d.]+$/, ""));
  return interpreter === undefined ? null : genericCall(interpreter, args);
}

/** `source f` runs a file like a script; only standard input under a file's name matters here. */
function sourceCall(args: readonly ShellWord[]): InterpreterCall {
  const [file] = scanLeadingOptions(args, {}).operands;
  const fromInput = file !== undefined && INPUT_AS_FILE.test(file.value);
  return { language: "sh", option: null, code: null, script: null, readsInput: fromInput };
}

function shellCall(args: readonly ShellWord[]): InterpreterCall {
  // `+x` switches an option off and ends no options.
  const minusOnly = args.filter(({ value }) => !/^\+[A-Za-z]+$/.test(value));
  const { options, operands } = scanLeadingOptions(minusOnly, { short: "oO", long: ["--rcfile", "--init-file"] });
  // fish alone has a long form; other shells refuse it.
  const carrier = options.find(({ name }) => clusterHolds(name, "c") || name === "--command");
  if (carrier !== undefined) {
    const code = carrier.value ?? operands[0] ?? null;
    return { language: "sh", option: carrier.name, code, script: null, readsInput: false };
  }
  const readsArguments = options.some(({ name }) => clusterHolds(name, "s"));
  const script = readsArguments ? null : operands.find((word) => word.value !== "-") ?? null;
  const informs = options.some(({ name }) => name === "--version" || name === "--help");
  return { language: "sh", option: null, code: null, script, readsInput: script === null && !informs };
}

function denoCall(args: readonly ShellWord[]): InterpreterCall {
  const [subcommand, ...others] = args;
  const { operands } = scanLeadingOptions(others, {});
  if (subcommand?.value === "eval") {
    return { language: "other", option: "eval", code: operands[0] ?? null, script: null, readsInput: false };
  }
  const fromInput = subcommand?.value === "run" && operands[0]?.value === "-";
  return { language: "other", option: null, code: null, script: null, readsInput: fromInput };
}

function genericCall(interpreter: Interpreter, args: readonly ShellWord[]): InterpreterCall {
  const { codeShort, codeLong, valueShort, valueLong, moduleShort = "" } = interpreter;
  const { options, operands } = scanLeadingOptions(args, {
    short: codeShort + valueShort + moduleShort,
    long: [...codeLong, ...valueLong],
  });
  const carrier = options.find(({ name }) => endsWithLetter(name, codeShort) || codeLong.includes(name));
  if (carrier !== undefined) {
    return { language: "other", option: carrier.name, code: carrier.value, script: null, readsInput: false };
  }
  const module = moduleShort !== "" && options.some(({ name }) => endsWithLetter(name, moduleShort));
  const first = operands[0];
  if (first?.value === "-") {
    return { language: "other", option: "-", code: null, script: null, readsInput: true };
  }
  const informs = options.some(({ name }) => /^(--version|--help|-V|-v|-h)$/.test(name));
  const script = module ? null : first ?? null;
  return { language: "other", option: null, code: null, script, readsInput: script === null && !module && !informs };
}

function endsWithLetter(option: string, letters: string): boolean {
  return /^-[^-]/.test(option) && letters.includes(option.charAt(option.length - 1));
}
