/** Programs that run another command given in their arguments (O-34): `env`, `xargs`, `find -exec`, `eval` … */

import { type OptionRule, scanLeadingOptions, scanOptions } from "./option_scan.ts";
import { literalWord, type ShellWord } from "./shell_reading.ts";
import { joinedWords } from "./word_values.ts";

/** What a wrapper would run: a command as words, or shell text. */
export type Wrapped =
  | { readonly kind: "command"; readonly words: readonly ShellWord[] }
  | { readonly kind: "script"; readonly text: ShellWord };

/** A wrapper whose command is simply what follows its options and first `operands` words. */
interface PrefixRule extends OptionRule {
  readonly operands?: number;
}

const PREFIXES: ReadonlyMap<string, PrefixRule> = new Map(Object.entries({
  nice: { short: "n", long: ["--adjustment"] },
  ionice: { short: "cnpPu", long: ["--class", "--classdata"] },
  chrt: { operands: 1, short: "TPD" },
  taskset: { operands: 1 },
  nohup: {},
  setsid: {},
  time: { short: "fo", long: ["--format", "--output"] },
  gtime: { short: "fo" },
  timeout: { operands: 1, short: "ks", long: ["--kill-after", "--signal"] },
  gtimeout: { operands: 1, short: "ks" },
  stdbuf: { short: "ioe", long: ["--input", "--output", "--error"] },
  unbuffer: {},
  exec: { short: "a" },
  builtin: {},
  xargs: {
    short: "IiLlnPsadER",
    long: ["--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines", "--max-chars", "--replace"],
  },
  parallel: { short: "jIaSND", long: ["--jobs", "--colsep", "--arg-file", "--delay", "--timeout", "--joblog"] },
  sudo: { short: "ughpCrtTUDR", long: ["--user", "--group", "--host", "--prompt", "--chdir"] },
  doas: { short: "uCa" },
  pkexec: { long: ["--user"] },
  runuser: { short: "ugGsw", long: ["--user", "--group"] },
  chroot: { operands: 1 },
  setpriv: { long: ["--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set"] },
  unshare: {},
  nsenter: { short: "tSG" },
  strace: { short: "abeEIoOPpsSuX" },
  ltrace: { short: "aAeElnopsuwx" },
  valgrind: {},
  catchsegv: {},
  faketime: { operands: 1 },
  fakeroot: { short: "lsib" },
  proxychains: { short: "f" },
  busybox: {},
  toybox: {},
  winpty: {},
  caffeinate: { short: "tw" },
  entr: { short: "s" },
  "pipenv": { operands: 1 },
  "dotenv": {},
  "direnv": { operands: 2 },
}));

/** Subcommands of package tools that run what follows: `poetry run rm -rf d`. */
const RUNNERS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries({
  poetry: ["run"],
  uv: ["run"],
  pdm: ["run"],
  hatch: ["run"],
  rye: ["run"],
  conda: ["run"],
  bundle: ["exec"],
  npm: ["exec", "x"],
  pnpm: ["exec"],
  mise: ["exec", "x"],
  asdf: ["exec"],
  pyenv: ["exec"],
  rbenv: ["exec"],
  nvm: ["exec"],
  volta: ["run"],
  rustup: ["run"],
}));

/** Programs whose operands are, each or joined, shell text. */
const SCRIPT_OPERANDS: ReadonlySet<string> = new Set(["eval", "watch", "hyperfine", "concurrently"]);

const FIND_EXEC: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** Every command that `name` with `args` would start; empty for a program that wraps nothing. */
export function wrappedCommands(name: string, args: readonly ShellWord[]): Wrapped[] {
  switch (name) {
    case "env":
      return envCommand(args);
    case "command":
      return commandBuiltin(args);
    case "find":
      return findCommands(args);
    case "fd":
    case "fdfind":
      return afterOption(args, ["-x", "--exec", "-X", "--exec-batch"]);
    case "git":
      return gitCommands(args);
    case "su":
    case "script":
    case "flock":
      return scriptOption(name, args);
    case "nix-shell":
      return optionScript(args, ["--run", "--command"]);
    case "trap":
      return scripts(scanLeadingOptions(args, {}).operands.slice(0, 1));
    case "alias":
      return scripts(args.map(({ value }) => literalWord(value.slice(value.indexOf("=") + 1))));
  }
  if (SCRIPT_OPERANDS.has(name)) return joinedScript(name, args);
  const runner = RUNNERS.get(name);
  if (runner !== undefined) return runnerCommand(args, runner);
  const prefix = PREFIXES.get(name);
  return prefix === undefined ? [] : prefixCommand(args, prefix);
}

/** Options of env(1) that take a value. */
export const ENV_OPTIONS: OptionRule = {
  short: "uCSa",
  long: ["--unset", "--chdir", "--split-string", "--argv0"],
};

function envCommand(args: readonly ShellWord[]): Wrapped[] {
  const { options, operands } = scanLeadingOptions(args, ENV_OPTIONS);
  const split = options.find(({ name }) => name.endsWith("S") || name === "--split-string");
  // A lone `-` is an old spelling of -i.
  const named = operands[0]?.value === "-" ? operands.slice(1) : operands;
  const command = named.slice(leadingAssignments(named));
  if (split?.value) {
    // `env -S 'A=1 cmd x' y` runs `cmd x y`; its quoting is close enough to the shell's to be read as such.
    const tail = operands.map(({ value }) => value).join(" ");
    return [{ kind: "script", text: literalWord(`${split.value.value} ${tail}`) }];
  }
  return commandOf(command);
}

function commandBuiltin(args: readonly ShellWord[]): Wrapped[] {
  const { options, operands } = scanLeadingOptions(args, {});
  // `command -v x` only asks where x is.
  return options.some(({ name }) => /[vV]/.test(name)) ? [] : commandOf(operands);
}

function prefixCommand(args: readonly ShellWord[], rule: PrefixRule): Wrapped[] {
  const operands = scanLeadingOptions(args, rule).operands.slice(rule.operands);
  return commandOf(operands.slice(leadingAssignments(operands)));
}

function leadingAssignments(words: readonly ShellWord[]): number {
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.value));
  return first < 0 ? words.length : first;
}

function runnerCommand(args: readonly ShellWord[], subcommands: readonly string[]): Wrapped[] {
  const { operands } = scanLeadingOptions(args, {});
  if (operands[0] === undefined || !subcommands.includes(operands[0].value)) return [];
  return commandOf(scanLeadingOptions(operands.slice(1), { short: "np", long: ["--with", "--package"] }).operands);
}

function joinedScript(name: string, args: readonly ShellWord[]): Wrapped[] {
  const { operands } = scanLeadingOptions(args, { short: "nwmrsp", long: ["--interval", "--warmup", "--runs"] });
  const single = name === "hyperfine" || name === "concurrently";
  return single ? scripts(operands) : scripts([joinedWords(operands)]);
}

function findCommands(args: readonly ShellWord[]): Wrapped[] {
  const found: Wrapped[] = [];
  for (let at = 0; at < args.length; at++) {
    if (!FIND_EXEC.has((args[at] as ShellWord).value)) continue;
    const from = at + 1;
    let end = from;
    while (end < args.length && !/^[;+]$/.test((args[end] as ShellWord).value)) end++;
    found.push(...commandOf(args.slice(from, end)));
    at = end;
  }
  return found;
}

function afterOption(args: readonly ShellWord[], names: readonly string[]): Wrapped[] {
  const at = args.findIndex(({ value }) => names.includes(value));
  return at < 0 ? [] : commandOf(args.slice(at + 1));
}

/** Settings of git whose value is a command. */
const GIT_RUNNING_SETTING =
  /^(?:alias\.[^=]+=!|(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor)|sequence\.editor|diff\.external|(?:filter|diff|merge|pager)\.[^=]+)=!?)(.+)/is;

function gitCommands(args: readonly ShellWord[]): Wrapped[] {
  const { options, operands } = scanLeadingOptions(args, GIT_GLOBAL_OPTIONS);
  const settings = options.flatMap(({ name, value }) => {
    const command = name === "-c" ? GIT_RUNNING_SETTING.exec(value?.value ?? "")?.[1] : undefined;
    return command === undefined ? [] : [literalWord(command)];
  });
  return [...scripts(settings), ...gitSubcommand(operands)];
}

function gitSubcommand([subcommand, ...others]: readonly ShellWord[]): Wrapped[] {
  switch (subcommand?.value) {
    case "submodule": {
      const at = others.findIndex(({ value }) => value === "foreach");
      return at < 0 ? [] : scripts([joinedWords(scanLeadingOptions(others.slice(at + 1), {}).operands)]);
    }
    case "bisect":
      return others[0]?.value === "run" ? commandOf(others.slice(1)) : [];
    case "rebase":
      return optionScript(others, ["-x", "--exec"]);
    case "filter-branch":
      return optionScript(others, ["--tree-filter", "--index-filter", "--msg-filter", "--env-filter"]);
    default:
      return [];
  }
}

/** Options of git(1) before the subcommand that take a value. */
export const GIT_GLOBAL_OPTIONS: OptionRule = {
  short: "Cc",
  long: ["--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
};

function scriptOption(name: string, args: readonly ShellWord[]): Wrapped[] {
  const scripted = optionScript(args, ["-c", "--command"]);
  if (name !== "flock" || scripted.length > 0) return scripted;
  const { operands } = scanLeadingOptions(args, { short: "wE", long: ["--timeout", "--conflict-exit-code"] });
  return commandOf(operands.slice(1));
}

function optionScript(args: readonly ShellWord[], names: readonly string[]): Wrapped[] {
  const short = names.filter((name) => !name.startsWith("--")).map((name) => name.slice(1)).join("");
  const { options } = scanOptions(args, { short, long: names });
  const values = options.flatMap(({ name, value }) => {
    const carries = names.includes(name) || (/^-[^-]/.test(name) && short.includes(name.slice(-1)));
    return carries && value !== null ? [value] : [];
  });
  return scripts(values);
}

/** Nothing where no word is left. */
function commandOf(words: readonly ShellWord[]): Wrapped[] {
  return words.length === 0 ? [] : [{ kind: "command", words }];
}

function scripts(words: readonly ShellWord[]): Wrapped[] {
  return words.filter(({ value }) => value !== "" && value !== "-").map((text) => ({ kind: "script", text }));
}
