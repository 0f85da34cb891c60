/** What a shell command line would run, as far as its text tells: the input of every policy gate (O-34). */

/** One word after quote removal and brace expansion, with what could not be known left in as written. */
export interface ShellWord {
  /** Text after quote removal; an expansion stays as written (`$HOME/a`). */
  readonly value: string;
  /** `value` with every unknown part replaced by U+0001: paths are judged by what is certain. */
  readonly skeleton: string;
  /** Whether the value depends on something that only the shell knows at run time. */
  readonly dynamic: boolean;
  /** Whether the word begins with a tilde that the shell expands. */
  readonly tilde: boolean;
}

/** Stands for an unknown part in `ShellWord.skeleton`. */
export const UNKNOWN_PART = "\u0001";

/** Where a command's standard input comes from. */
export type InputSource = "inherited" | "pipe" | "heredoc" | "herestring" | "file";

/** One redirection, with its operator as written. */
export interface ShellRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

/** A command that would run, wrappers (`env`, `xargs` …) and what they wrap as separate entries. */
export interface SeenCommand {
  /** Command word as written after quote removal. */
  readonly word: ShellWord;
  /** Lower-case base name of the command word; empty when it is only known at run time. */
  readonly name: string;
  readonly args: readonly ShellWord[];
  readonly input: InputSource;
}

/** Code handed to an interpreter on the command line or through its standard input. */
export interface InlineCode {
  /** Base name of the interpreter. */
  readonly command: string;
  /** How the code arrives: `-c`, `-e`, `-`, `<<`, `<<<` or `|`. */
  readonly option: string;
  /** The code, where the command line holds it. */
  readonly code: string;
}

/** Everything the gates look at. */
export interface ShellReading {
  readonly commands: readonly SeenCommand[];
  readonly redirects: readonly ShellRedirect[];
  readonly inline: readonly InlineCode[];
  /** Substitutions as written: `$(ls)`, `<(ls)`, backquotes. */
  readonly substitutions: readonly string[];
  /** Names of functions that call themselves in the background or in a pipe. */
  readonly selfReplicating: readonly string[];
  /** False when the grammar could not read all of it; the words were then looked at one by one as well. */
  readonly readable: boolean;
}

/** A word of which everything is known. */
export function literalWord(value: string): ShellWord {
  return { value, skeleton: value, dynamic: false, tilde: value.startsWith("~") };
}

/** Lower-case last component of a command word, `.exe` removed. */
export function baseName(path: string): string {
  return path.slice(path.replaceAll("\\", "/").lastIndexOf("/") + 1).toLowerCase().replace(/\.exe$/, "");
}
