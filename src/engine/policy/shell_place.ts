/** Where in a command line the reader stands: what a command there would read, and how deep it is. */

import type { Command, HereDoc, HereString, Redirection, SyntaxNode } from "unbash";
import type { InputSource } from "./shell_reading.ts";

/** State carried down the syntax tree. */
export interface Place {
  /** Text that the positions of the nodes refer to. */
  readonly source: string;
  readonly input: InputSource;
  /** Text that `input` is known to hold: a literal heredoc, or what `echo` prints into the pipe. */
  readonly inputText: string | null;
  readonly scriptDepth: number;
  readonly nodeDepth: number;
}

/** Whether a node is a redirection, heredocs included. */
export function isRedirection(node: SyntaxNode): node is Redirection {
  return node.type === "Redirect" || node.type === "HereDoc" || node.type === "HereString";
}

/** `place` with the last redirection of standard input applied. */
export function withRedirects(place: Place, redirects: readonly Redirection[]): Place {
  let changed = place;
  for (const redirect of redirects) {
    const descriptor = redirect.descriptor?.type === "FileDescriptor" ? redirect.descriptor.value : null;
    if (redirect.descriptor !== undefined && descriptor !== 0) continue;
    if (redirect.type === "HereDoc") changed = { ...changed, input: "heredoc", inputText: heredocText(redirect) };
    if (redirect.type === "HereString") changed = { ...changed, input: "herestring", inputText: hereText(redirect) };
    if (redirect.type === "Redirect" && /^<[>&]?$/.test(redirect.operator)) {
      changed = { ...changed, input: "file", inputText: null };
    }
  }
  return changed;
}

function heredocText({ body }: HereDoc): string {
  return body.text;
}

function hereText({ target }: HereString): string | null {
  return target?.value ?? null;
}

/** Whether the parser left out something between the words of a command: it skips tokens that no shell would accept. */
export function skipsText(command: Command, source: string): boolean {
  let end = command.pos;
  for (const part of [...command.prefix, ...(command.name ? [command.name] : []), ...command.suffix]) {
    if (/[^\s\\]/.test(source.slice(end, part.pos))) return true;
    end = Math.max(end, part.end);
  }
  return false;
}
