/**
 * The strict reading for text that the shell grammar could not read.
 *
 * The shell might still run a part of such a line, so every word counts as a possible command with all words after it
 * as arguments. Refusing too much is right here: the answer to the model is to write the line properly.
 */

import { type InputSource, literalWord, type ShellRedirect, type ShellWord } from "./shell_reading.ts";

/** Arguments kept for one possible command: the options that matter come early. */
const MAX_ARGS = 40;
/** Words looked at; beyond that the text is data. */
const MAX_WORDS = 4_000;

/** What of the words could be a command, a redirection or a substitution. */
export interface WordReadings {
  readonly commands: readonly { readonly words: readonly ShellWord[]; readonly input: InputSource }[];
  readonly redirects: readonly ShellRedirect[];
  readonly substitutions: readonly string[];
}

/** Every possible command, redirection and substitution of `text`. */
export function wordReadings(text: string): WordReadings {
  const tokens = tokensOf(text);
  const commands: { words: ShellWord[]; input: InputSource }[] = [];
  const redirects: ShellRedirect[] = [];
  let segment: ShellWord[] = [];
  let input: InputSource = "inherited";
  const endSegment = (): void => {
    for (let at = 0; at < segment.length; at++) {
      commands.push({ words: segment.slice(at, at + MAX_ARGS + 1), input });
    }
    segment = [];
  };
  tokens.forEach((token, at) => {
    if (/^[<>&]*[<>][<>&|]*$/.test(token)) {
      const target = tokens[at + 1];
      if (token.startsWith("<<")) input = "heredoc";
      else if (target !== undefined && !OPERATOR.test(target)) {
        redirects.push({ operator: token, target: literalWord(unquoted(target)) });
      }
      return;
    }
    if (!OPERATOR.test(token)) {
      segment.push(literalWord(unquoted(token)));
      return;
    }
    endSegment();
    input = /^\|&?$/.test(token) ? "pipe" : "inherited";
  });
  endSegment();
  return { commands, redirects, substitutions: text.match(/`|\$\((?!\()|[<>]\(/g) ?? [] };
}

const OPERATOR = /^[;&|()<>\n`{}]+$/;

function tokensOf(text: string): string[] {
  return (text.slice(0, MAX_WORDS * 32).match(/[;&|()\n`{}]+|[<>&]*[<>][<>&|]*|[^\s;&|()<>`{}]+/g) ?? [])
    .slice(0, MAX_WORDS);
}

function unquoted(token: string): string {
  return token.replace(/['"\\]/g, "");
}
