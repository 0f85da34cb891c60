/** Reads options the way getopt_long(3) does, as far as a policy needs it. */

import type { ShellWord } from "./shell_reading.ts";

/** Which options of a command consume a value. */
export interface OptionRule {
  /** Letters of the short options that take a value. */
  readonly short?: string;
  /** Long options that take the next word as value; `--name=value` needs no entry. */
  readonly long?: readonly string[];
}

/** One option with its value. */
export interface ScannedOption {
  /** Option as written without its value: `-n`, `-rf` (whole cluster), `--exec`. */
  readonly name: string;
  /** Attached or following value; null when it has none. */
  readonly value: ShellWord | null;
}

/** The words of a command, told apart. */
export interface ScannedOptions {
  readonly options: readonly ScannedOption[];
  /** Words after the options; with `operandsMayMix` all that are no options. */
  readonly operands: readonly ShellWord[];
}

/** Options up to the first operand (POSIX order, as wrappers and shells read them). */
export function scanLeadingOptions(args: readonly ShellWord[], rule: OptionRule): ScannedOptions {
  return scan(args, { ...rule, order: "posix" });
}

/** Options anywhere before `--` (GNU order). */
export function scanOptions(args: readonly ShellWord[], rule: OptionRule): ScannedOptions {
  return scan(args, { ...rule, order: "gnu" });
}

/** Whether an option word is a cluster of short options that holds one of `letters`. */
export function clusterHolds(option: string, letters: string): boolean {
  return /^-[^-]/.test(option) && [...letters].some((letter) => option.includes(letter, 1));
}

function scan(args: readonly ShellWord[], rule: OptionRule & { readonly order: "posix" | "gnu" }): ScannedOptions {
  const options: ScannedOption[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as ShellWord;
    if (word.value === "--") return { options, operands: [...operands, ...args.slice(at + 1)] };
    if (!/^-./.test(word.value)) {
      if (rule.order === "posix") return { options, operands: args.slice(at) };
      operands.push(word);
      continue;
    }
    const { option, takesNext } = readOption(word, rule);
    const next = takesNext ? args[at + 1] : undefined;
    options.push(next === undefined ? option : { ...option, value: next });
    if (next !== undefined) at++;
  }
  return { options, operands };
}

function readOption(word: ShellWord, rule: OptionRule): { option: ScannedOption; takesNext: boolean } {
  const text = word.value;
  if (text.startsWith("--")) {
    const equals = text.indexOf("=");
    if (equals > 0) return { option: { name: text.slice(0, equals), value: rest(word, equals + 1) }, takesNext: false };
    return { option: { name: text, value: null }, takesNext: rule.long?.includes(text) ?? false };
  }
  for (let at = 1; at < text.length; at++) {
    if (!rule.short?.includes(text.charAt(at))) continue;
    const last = at === text.length - 1;
    return { option: { name: text.slice(0, at + 1), value: last ? null : rest(word, at + 1) }, takesNext: last };
  }
  // Single-dash long options (`find -exec`, `java -classpath`) land here as one cluster without a value.
  return { option: { name: text, value: null }, takesNext: rule.long?.includes(text) ?? false };
}

function rest(word: ShellWord, from: number): ShellWord {
  const value = word.value.slice(from);
  return { value, skeleton: word.dynamic ? word.skeleton.slice(from) : value, dynamic: word.dynamic, tilde: false };
}
