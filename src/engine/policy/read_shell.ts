/** Reads a shell command line into what it would run: nested scripts, wrappers, pipes and redirections included. */

import {
  type Assignment,
  type Command,
  forEachChild,
  type Function as FunctionNode,
  parse,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type SyntaxNode,
} from "unbash";
import { interpreterCall } from "./interpreter_call.ts";
import {
  baseName,
  type InlineCode,
  type InputSource,
  literalWord,
  type SeenCommand,
  type ShellReading,
  type ShellRedirect,
  type ShellWord,
} from "./shell_reading.ts";
import { isRedirection, type Place, skipsText, withRedirects } from "./shell_place.ts";
import { joinedWords, shellWord, shellWords } from "./word_values.ts";
import { wrappedCommands } from "./wrappers.ts";
import { wordReadings } from "./word_readings.ts";

/** Scripts within scripts (`sh -c "sh -c …"`) that are followed; deeper ones count as unreadable. */
const MAX_SCRIPT_DEPTH = 12;
/** Syntax levels that are followed; the parser itself stops at 256. */
const MAX_NODE_DEPTH = 600;
/** Commands looked at in one line: far above anything written by hand, and bounds the work on generated text. */
const MAX_COMMANDS = 20_000;
/** A longer value is not followed: `X=$X$X` doubles it every time. */
const MAX_VARIABLE_LENGTH = 4_096;
/** Longer text is looked at by words only. 128 KiB: the kernel refuses a longer single argument (MAX_ARG_STRLEN, execve(2)). */
const MAX_PARSED_LENGTH = 131_072;

/** Everything that `text` would run. Never throws; what the grammar cannot read is looked at word by word. */
export function readShell(text: string): ShellReading {
  const reader = new ShellReader();
  reader.readText(text, "inherited", 0);
  return reader.reading;
}

class ShellReader {
  readonly #commands: SeenCommand[] = [];
  readonly #redirects: ShellRedirect[] = [];
  readonly #inline: InlineCode[] = [];
  readonly #substitutions: string[] = [];
  readonly #selfReplicating: string[] = [];
  readonly #variables = new Map<string, string | null>();
  #readable = true;

  get reading(): ShellReading {
    return {
      commands: this.#commands,
      redirects: this.#redirects,
      inline: this.#inline,
      substitutions: this.#substitutions,
      selfReplicating: this.#selfReplicating,
      readable: this.#readable,
    };
  }

  readText(text: string, input: InputSource, scriptDepth: number): void {
    if (scriptDepth > MAX_SCRIPT_DEPTH || text.length > MAX_PARSED_LENGTH) return this.#readWords(text);
    const place: Place = { source: text, input, inputText: null, scriptDepth, nodeDepth: 0 };
    // The parser keeps a backslash-newline in a word's value, where the shell removes both. Inside a quoted heredoc the
    // shell keeps them and the joined text may hide the delimiter: both spellings are read and everything found counts.
    const joined = text.replaceAll("\\\n", "");
    this.#readParsed(joined, place);
    if (joined !== text) this.#readParsed(text, place);
  }

  #readParsed(text: string, place: Place): void {
    let script: ParsedScript;
    try {
      script = parse(text);
      this.#visit(script, { ...place, source: text });
    } catch {
      // A fault of the parser must not open the gate: the words are judged instead.
      return this.#readWords(text);
    }
    if (script.errors !== undefined && script.errors.length > 0) this.#readWords(text);
  }

  /** The strict reading of text that is no shell grammar: every word may be a command. */
  #readWords(text: string): void {
    this.#readable = false;
    const found = wordReadings(text);
    for (const { words, input } of found.commands) this.#seeCommand(words, { ...UNREADABLE_PLACE, input });
    this.#redirects.push(...found.redirects);
    this.#substitutions.push(...found.substitutions);
  }

  #visit(node: SyntaxNode, place: Place): void {
    if (place.nodeDepth > MAX_NODE_DEPTH || this.#commands.length > MAX_COMMANDS) {
      this.#readable = false;
      return;
    }
    const below = { ...place, nodeDepth: place.nodeDepth + 1 };
    switch (node.type) {
      case "Script":
        // A script in backquotes has its own text, without the escapes (unbash: `source`).
        return this.#children(node, { ...below, source: node.source ?? below.source });
      case "Command":
        return this.#visitCommand(node, below);
      case "Pipeline":
        return this.#visitPipeline(node, below);
      case "Redirected": {
        for (const redirect of node.redirects) this.#visitRedirection(redirect, below);
        return this.#visit(node.command, withRedirects(below, node.redirects));
      }
      case "Function":
        this.#lookForReplication(node);
        break;
      case "Assignment":
        this.#assign(node, below);
        break;
      case "For":
        this.#variables.set(node.name.value, null);
        break;
      case "ParameterExpansion":
        // `${x@P}` expands the value once more as a prompt, substitutions included (bash(1)).
        if (node.operation?.type === "Transform" && node.text.includes("@P")) this.#substitutions.push(node.text);
        break;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        this.#substitutions.push(node.text);
        return this.#children(node, { ...below, input: "inherited", inputText: null });
      default:
        if (isRedirection(node)) return this.#visitRedirection(node, below);
    }
    this.#children(node, below);
  }

  #children(node: SyntaxNode, place: Place): void {
    forEachChild(node, (child) => this.#visit(child, place));
  }

  #visitPipeline(pipeline: Pipeline, place: Place): void {
    let before: string | null = null;
    pipeline.commands.forEach((command, at) => {
      this.#visit(command, at === 0 ? place : { ...place, input: "pipe", inputText: before });
      before = command.type === "Command" ? this.#printed(command) : null;
    });
  }

  #visitCommand(command: Command, place: Place): void {
    if (skipsText(command, place.source)) this.#readWords(place.source.slice(command.pos, command.end));
    for (const child of command.prefix) this.#visit(child, place);
    const words = command.name === undefined ? [] : shellWords(command.name, this.#variables);
    if (command.name !== undefined) this.#children(command.name, place);
    for (const child of command.suffix) {
      if (isRedirection(child)) {
        this.#visitRedirection(child, place);
        continue;
      }
      if (child.type === "Assignment") {
        words.push(literalWord(`${child.name}=${this.#assigned(child)?.value ?? ""}`));
      } else {
        words.push(...shellWords(child, this.#variables));
      }
      this.#visit(child, place);
    }
    this.#seeCommand(words, withRedirects(place, command.redirects));
  }

  /** Records a command and everything that it would start in turn. */
  #seeCommand(words: readonly ShellWord[], place: Place): void {
    const [word, ...args] = words;
    if (word === undefined || this.#commands.length > MAX_COMMANDS) return;
    const name = word.dynamic || /[*?[]/.test(word.value) ? "" : baseName(word.value);
    this.#commands.push({ word, name, args, input: place.input });
    if (name === "set") this.#setArguments(args);
    this.#seeInterpreter(name, args, place);
    // bash's keyword `time` knows no options, the program of that name does: `time -f %e rm` reads as a command `-f`.
    const wrappedBy = name.startsWith("-") ? wrappedCommands("time", words) : wrappedCommands(name, args);
    for (const wrapped of wrappedBy) {
      if (place.scriptDepth > MAX_SCRIPT_DEPTH) {
        this.#readable = false;
      } else if (wrapped.kind === "script") {
        this.readText(wrapped.text.value, place.input, place.scriptDepth + 1);
      } else {
        // xargs and parallel use up the input themselves; what they start reads nothing.
        const input = name === "xargs" || name === "parallel" ? "inherited" : place.input;
        this.#seeCommand(wrapped.words, { ...place, input, scriptDepth: place.scriptDepth + 1 });
      }
    }
  }

  /** `set -- rm -rf d` gives the words that `"$@"` stands for. */
  #setArguments(args: readonly ShellWord[]): void {
    const start = args.findIndex(({ value }) => value === "--");
    const words = joinedWords(start < 0 ? args : args.slice(start + 1));
    const certain = !words.dynamic && words.value.length <= MAX_VARIABLE_LENGTH;
    this.#variables.set("@", certain ? words.value : null);
  }

  #seeInterpreter(name: string, args: readonly ShellWord[], place: Place): void {
    const call = interpreterCall(name, args);
    if (call === null) return;
    const fromInput = call.option === null ? INPUT_OPTIONS[place.input] ?? null : call.option;
    const code = call.option === null || call.option === "-" ? place.inputText : call.code?.value ?? null;
    if (call.option === null && !(call.readsInput && fromInput !== null)) return;
    this.#inline.push({ command: name, option: fromInput ?? "-", code: code ?? "" });
    if (call.language === "sh" && code !== null) {
      this.readText(code, call.option === null ? "inherited" : place.input, place.scriptDepth + 1);
    }
  }

  #visitRedirection(redirection: Redirection, place: Place): void {
    if (redirection.type === "HereDoc") return this.#children(redirection.body, place);
    if (redirection.target === undefined) return;
    if (redirection.type === "Redirect") {
      for (const target of shellWords(redirection.target, this.#variables)) {
        this.#redirects.push({ operator: redirection.operator, target });
      }
    }
    this.#children(redirection.target, place);
  }

  #assign(assignment: Assignment, place: Place): void {
    const value = this.#assigned(assignment);
    const certain = value !== null && !value.dynamic && value.value.length <= MAX_VARIABLE_LENGTH &&
      !assignment.append && assignment.index === undefined;
    this.#variables.set(assignment.name, certain ? value.value : null);
    if (certain && RUNNING_VARIABLES.has(assignment.name)) {
      this.readText(value.value, "inherited", place.scriptDepth + 1);
    }
  }

  #assigned({ value }: Assignment): ShellWord | null {
    return value.type === "Word"
      ? shellWord(value, this.#variables)
      : joinedWords(value.elements.flatMap((element) => shellWords(element, this.#variables)));
  }

  /** What `echo` or `printf` with literal words would print: shell text when it goes into a shell. */
  #printed(command: Command): string | null {
    const name = command.name?.value;
    if (name !== "echo" && name !== "printf") return null;
    const words = command.args.flatMap((arg) => arg.type === "Word" ? shellWords(arg, this.#variables) : []);
    const texts = words.map(({ value }) => value).filter((value) => !/^-[neE]+$/.test(value));
    return texts.join(" ").replaceAll("\\n", "\n");
  }

  /** Finds `f() { f | f & }`: a function that starts itself twice fills the process table within a second. */
  #lookForReplication(node: FunctionNode): void {
    const name = node.name.value;
    let calls = 0;
    let detached = false;
    const visit = (child: SyntaxNode, depth: number): void => {
      if (depth > MAX_NODE_DEPTH) return;
      if (child.type === "Command" && child.name?.value === name) calls++;
      if (child.type === "Pipeline" && child.commands.length > 1) detached = true;
      if (child.type === "Statement" && child.background) detached = true;
      forEachChild(child, (grandchild) => visit(grandchild, depth + 1));
    };
    visit(node.body, 0);
    if (calls > 0 && detached) this.#selfReplicating.push(name);
  }
}

const UNREADABLE_PLACE: Place = {
  source: "",
  input: "inherited",
  inputText: null,
  scriptDepth: MAX_SCRIPT_DEPTH,
  nodeDepth: 0,
};

/** Variables whose value other programs run as a command. */
const RUNNING_VARIABLES: ReadonlySet<string> = new Set([
  "PAGER",
  "GIT_PAGER",
  "MANPAGER",
  "EDITOR",
  "VISUAL",
  "GIT_EDITOR",
  "GIT_SEQUENCE_EDITOR",
  "GIT_SSH_COMMAND",
  "GIT_EXTERNAL_DIFF",
  "PROMPT_COMMAND",
]);

/** How code that arrives through standard input is named in a refusal. */
const INPUT_OPTIONS: Readonly<Partial<Record<InputSource, string>>> = {
  pipe: "|",
  heredoc: "<<",
  herestring: "<<<",
};
