/**
 * A pattern as a nondeterministic automaton over bytes.
 *
 * It may accept more lines than the pattern does, never fewer: a set of many characters outside ASCII is narrowed to
 * their first bytes, a word border beside such a character counts as both border and none, and `$` holds before any CR,
 * which may belong to a CRLF. `LeftmostSearch` then decides exactly on the few lines that it accepts.
 */

import { encodeUtf8 } from "../../../base/utf8.ts";
import { type CodePoints, contains } from "./code_points.ts";
import { RegexError } from "./regex_error.ts";
import type { Assertion, Node } from "./syntax_tree.ts";

/** One state; `next` and `targets` are indexes of instructions. */
export type ByteInstruction =
  | { readonly kind: "bytes"; readonly set: ByteSet; next: number }
  | { readonly kind: "split"; targets: number[] }
  | { readonly kind: "assert"; readonly assertion: Assertion; next: number }
  | { readonly kind: "match" };

/** 256 flags. */
export type ByteSet = Uint8Array;

/** The states and the one to begin with. */
export interface ByteProgram {
  readonly instructions: readonly ByteInstruction[];
  /** Index of the instruction to begin with. */
  readonly start: number;
}

/** The automaton of `node`. @throws RegexError when it would have too many states */
export function compileByteProgram(node: Node): ByteProgram {
  const compiler = new Compiler();
  const match = compiler.add({ kind: "match" });
  const start = compiler.compile(node, match);
  return { instructions: compiler.instructions, start };
}

/** 20,000 instructions: `\w{1000}` fits, what does not is a product of counts that nobody meant. */
const MAX_INSTRUCTIONS = 20_000;
/** Characters outside ASCII that are still spelt out byte by byte. */
const MAX_SPELT = 8;
const REPLACEMENT = 0xfffd;

/** Builds backwards: each part is compiled with the instruction that follows it. */
class Compiler {
  readonly instructions: ByteInstruction[] = [];
  readonly #sets = new Map<string, ByteSet>();

  add(instruction: ByteInstruction): number {
    if (this.instructions.length >= MAX_INSTRUCTIONS) {
      throw new RegexError("it is too large: use smaller repetition counts");
    }
    return this.instructions.push(instruction) - 1;
  }

  compile(node: Node, next: number): number {
    switch (node.kind) {
      case "empty":
        return next;
      case "set":
        return this.#set(node.points, next);
      case "sequence":
        return node.parts.reduceRight((after, part) => this.compile(part, after), next);
      case "choice":
        return this.#split(node.parts.map((part) => this.compile(part, next)));
      case "repeat":
        return this.#repeat(node, next);
      case "assert":
        return this.add({ kind: "assert", assertion: node.assertion, next });
    }
  }

  #repeat(node: Extract<Node, { kind: "repeat" }>, next: number): number {
    let after = next;
    if (node.max === null) {
      const loop = this.add({ kind: "split", targets: [] });
      (this.instructions[loop] as { targets: number[] }).targets = [this.compile(node.part, loop), next];
      after = loop;
    } else {
      for (let count = node.min; count < node.max; count++) after = this.#split([this.compile(node.part, after), next]);
    }
    for (let count = 0; count < node.min; count++) after = this.compile(node.part, after);
    return after;
  }

  #split(targets: number[]): number {
    return targets.length === 1 ? targets[0] as number : this.add({ kind: "split", targets });
  }

  #set(points: CodePoints, next: number): number {
    const targets: number[] = [];
    const ascii = asciiRanges(points);
    if (ascii.length > 0) targets.push(this.#bytes(rangeSet(ascii), next));
    const rest = pointsAbove(points, MAX_SPELT);
    if (rest === null) targets.push(this.#anyOf(points, next));
    else for (const point of rest) targets.push(this.#spelt(point, next));
    return this.#split(targets);
  }

  #spelt(point: number, next: number): number {
    return encodeUtf8(String.fromCodePoint(point)).reduceRight(
      (after, byte) => this.#bytes(rangeSet([[byte, byte]]), after),
      next,
    );
  }

  /** A first byte that a member has, then up to three that continue. */
  #anyOf(points: CodePoints, next: number): number {
    const continued = rangeSet([[0x80, 0xbf]]);
    let after = next;
    for (let count = 0; count < 3; count++) after = this.#split([this.#bytes(continued, after), next]);
    return this.#bytes(firstBytes(points), after);
  }

  #bytes(set: ByteSet, next: number): number {
    const key = set.join("");
    const shared = this.#sets.get(key) ?? set;
    this.#sets.set(key, shared);
    return this.add({ kind: "bytes", set: shared, next });
  }
}

function rangeSet(ranges: readonly (readonly [number, number])[]): ByteSet {
  const set = new Uint8Array(256);
  for (const [low, high] of ranges) set.fill(1, low, high + 1);
  return set;
}

function asciiRanges(points: CodePoints): [number, number][] {
  const ranges: [number, number][] = [];
  for (let at = 0; at < points.length && (points[at] as number) < 0x80; at += 2) {
    ranges.push([points[at] as number, Math.min(points[at + 1] as number, 0x7f)]);
  }
  return ranges;
}

/** Members from U+0080 on; null when there are more than `limit`. */
function pointsAbove(points: CodePoints, limit: number): number[] | null {
  const found: number[] = [];
  for (let at = 0; at < points.length; at += 2) {
    for (let point = Math.max(points[at] as number, 0x80); point <= (points[at + 1] as number); point++) {
      // A replacement character also stands for bytes that are no UTF-8, which no spelling covers.
      if (found.length === limit || point === REPLACEMENT) return null;
      found.push(point);
    }
  }
  return found;
}

function firstBytes(points: CodePoints): ByteSet {
  if (contains(points, REPLACEMENT)) return rangeSet([[0x80, 0xff]]);
  const set = new Uint8Array(256);
  for (let at = 0; at < points.length; at += 2) {
    const high = points[at + 1] as number;
    if (high < 0x80) continue;
    set.fill(1, firstByte(Math.max(points[at] as number, 0x80)), firstByte(high) + 1);
  }
  return set;
}

/** First byte of the UTF-8 form (RFC 3629 section 3). */
function firstByte(point: number): number {
  if (point < 0x800) return 0xc0 | (point >> 6);
  return point < 0x10000 ? 0xe0 | (point >> 12) : 0xf0 | (point >> 18);
}
