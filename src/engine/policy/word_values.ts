/** Turns a word of the shell grammar into the words the shell would pass on, as far as the text alone tells. */

import type { Word, WordPart } from "unbash";
import { type ShellWord, UNKNOWN_PART } from "./shell_reading.ts";

/** Most words one brace expansion may give here; a larger one is left as written. */
const MAX_BRACE_WORDS = 64;

/** Values that the command line itself gives to variables, `@` to the arguments; null when a value is not certain. */
export type KnownVariables = ReadonlyMap<string, string | null>;

/** A piece of a word: known text, an expansion left as written, or alternatives in braces. */
type Piece =
  | { readonly kind: "known"; readonly text: string }
  | { readonly kind: "unknown"; readonly text: string }
  | { readonly kind: "split"; readonly text: string }
  | { readonly kind: "brace"; readonly text: string };

/** The words that `word` becomes: usually one; several after brace expansion or a known unquoted variable. */
export function shellWords(word: Word, variables: KnownVariables): ShellWord[] {
  const tilde = word.text.startsWith("~");
  const listed = WHOLE_LIST.exec(word.text);
  const list = listed === null ? null : variables.get(listed[1] ?? "@");
  if (typeof list === "string") return blankSeparated(list, { tilde });
  const parts = word.parts;
  if (parts === undefined) return [{ value: word.value, skeleton: word.value, dynamic: false, tilde }];
  const pieces = parts.flatMap((part) => piecesOf(part, variables));
  const [only] = pieces;
  // An unquoted variable on its own is split at blanks: `X='rm -rf d'; $X` runs rm.
  if (pieces.length === 1 && only?.kind === "split") return blankSeparated(only.text, { tilde });
  return bracesExpanded(pieces).map((alternative) => joinPieces(alternative, { tilde }));
}

/** The single value of `word`; what brace expansion adds is joined by blanks. */
export function shellWord(word: Word, variables: KnownVariables): ShellWord {
  const words = shellWords(word, variables);
  return words.length === 1 ? words[0] as ShellWord : joinedWords(words);
}

/** Several words as one, separated by blanks. */
export function joinedWords(words: readonly ShellWord[]): ShellWord {
  return {
    value: words.map(({ value }) => value).join(" "),
    skeleton: words.map(({ skeleton }) => skeleton).join(" "),
    dynamic: words.some(({ dynamic }) => dynamic),
    tilde: words[0]?.tilde ?? false,
  };
}

/** `"${list[@]}"` or `"$@"`: every element is a word of its own, also in quotes. */
const WHOLE_LIST = /^"?\$(?:\{(\w+)\[[@*]\]\}|\{?[@*]\}?)"?$/;

function blankSeparated(text: string, { tilde }: Pick<ShellWord, "tilde">): ShellWord[] {
  return text.split(/\s+/).filter((word) => word !== "")
    .map((word) => ({ value: word, skeleton: word, dynamic: false, tilde }));
}

function piecesOf(part: WordPart, variables: KnownVariables): Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ kind: "known", text: part.value }];
    case "Glob":
      return [{ kind: "known", text: part.value }];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.flatMap((child) => piecesOf(child, variables)).map((piece) => {
        return piece.kind === "split" ? { kind: "known", text: piece.text } : piece;
      });
    case "SimpleExpansion":
      return [variablePiece(part.text.slice(1), part.text, variables)];
    case "ParameterExpansion":
      return part.operation === undefined && part.prefix === undefined && part.index === undefined
        ? [variablePiece(part.parameter, part.text, variables)]
        : [{ kind: "unknown", text: part.text }];
    case "BraceExpansion":
      return [{ kind: "brace", text: part.text }];
    default:
      return [{ kind: "unknown", text: part.text }];
  }
}

function variablePiece(name: string, text: string, variables: KnownVariables): Piece {
  const value = variables.get(name);
  return typeof value === "string" ? { kind: "split", text: value } : { kind: "unknown", text };
}

function bracesExpanded(pieces: readonly Piece[]): Piece[][] {
  const braces = pieces.filter(({ kind }) => kind === "brace").length;
  if (braces === 0 || braces > MAX_BRACE_WORDS) return [[...pieces]];
  let alternatives: Piece[][] = [[]];
  for (const piece of pieces) {
    const texts = piece.kind === "brace" ? braceTexts(piece.text) : null;
    const choices: Piece[] = texts === null ? [piece] : texts.map((text) => ({ kind: "known", text }));
    if (alternatives.length * choices.length > MAX_BRACE_WORDS) return [[...pieces]];
    alternatives = alternatives.flatMap((start) => choices.map((choice) => [...start, choice]));
  }
  return alternatives;
}

/** `{a,b}` as its alternatives; null for a sequence or something nested, which stays as written. */
function braceTexts(text: string): string[] | null {
  const inside = text.slice(1, -1);
  if (!inside.includes(",") || /[{}$`]/.test(inside)) return null;
  return inside.split(",").map((piece) => piece.replace(/\\(.)|['"]/g, "$1"));
}

function joinPieces(pieces: readonly Piece[], { tilde }: Pick<ShellWord, "tilde">): ShellWord {
  const value = pieces.map(({ text }) => text).join("");
  const dynamic = pieces.some(({ kind }) => kind === "unknown");
  const skeleton = dynamic ? pieces.map(({ kind, text }) => kind === "unknown" ? UNKNOWN_PART : text).join("") : value;
  return { value, skeleton, dynamic, tilde };
}
