/**
 * Where the leftmost match of a pattern in one line starts: the exact answer, character by character.
 *
 * All possible matches are followed at once, the one that started first in front. Each step costs at most the size of
 * the pattern, so the whole costs at most line length times pattern size, whatever the pattern.
 */

import { type CodePoints, contains } from "./code_points.ts";
import type { Assertion, Node } from "./syntax_tree.ts";

type Instruction =
  | { readonly kind: "set"; readonly points: CodePoints; next: number }
  | { readonly kind: "split"; targets: number[] }
  | { readonly kind: "assert"; readonly assertion: Assertion; next: number }
  | { readonly kind: "match" };

/** A compiled pattern; used by one caller at a time. */
export class LeftmostSearch {
  readonly #instructions: Instruction[] = [];
  readonly #start: number;
  readonly #word: CodePoints;
  /** For each ASCII character whether a match can start with it; null where a match may be empty. */
  readonly #first: Uint8Array | null;
  /** Step in which an instruction was last reached. */
  readonly #reached: Int32Array;
  #step = 0;
  readonly #stopCheckSteps: number;

  /** `word` is the set of characters that a word border separates from others. */
  constructor(node: Node, word: CodePoints) {
    this.#word = word;
    const match = this.#instructions.push({ kind: "match" }) - 1;
    this.#start = this.#compile(node, match);
    this.#reached = new Int32Array(this.#instructions.length).fill(-1);
    this.#first = this.#firstCharacters();
    this.#stopCheckSteps = Math.max(1, Math.floor(STOP_CHECK_INSTRUCTIONS / this.#instructions.length));
  }

  /**
   * Index of the first UTF-16 unit of the leftmost match in `line`; -1 when there is none. `line` has no terminator.
   *
   * `shouldStop` is asked now and then; once it says yes the answer is -1.
   */
  find(line: string, shouldStop: () => boolean = () => false): number {
    // Threads in two parallel lists, those that started earlier in front.
    let states: number[] = [];
    let starts: number[] = [];
    let best = -1;
    let before = -1;
    for (let at = 0;;) {
      if (states.length === 0 && best < 0 && this.#first !== null) {
        const skipped = skip(line, at, this.#first);
        if (skipped > at) before = line.charCodeAt(skipped - 1);
        at = skipped;
      }
      const point = at < line.length ? line.codePointAt(at) as number : -1;
      this.#step++;
      if (this.#step % this.#stopCheckSteps === 0 && shouldStop()) return -1;
      const nextStates: number[] = [];
      const nextStarts: number[] = [];
      const border: Border = { before, after: point };
      for (let thread = 0; thread <= states.length; thread++) {
        const isFresh = thread === states.length;
        if (isFresh && best >= 0) break;
        const start = isFresh ? at : starts[thread] as number;
        if (
          this.#follow(isFresh ? this.#start : states[thread] as number, border, point, (state) => {
            nextStates.push(state);
            nextStarts.push(start);
          })
        ) {
          // Threads behind this one started later or at the same place: they cannot be more to the left.
          best = start;
          break;
        }
      }
      states = nextStates;
      starts = nextStarts;
      while (starts.length > 0 && best >= 0 && (starts.at(-1) as number) >= best) {
        starts.pop();
        states.pop();
      }
      if (point < 0 || (best >= 0 && states.length === 0)) return best;
      before = point;
      at += point > 0xffff ? 2 : 1;
    }
  }

  /** Follows everything that consumes nothing; true when the match is reached. `take` gets the states after `point`. */
  #follow(state: number, border: Border, point: number, take: (state: number) => void): boolean {
    const open = [state];
    let isMatched = false;
    while (open.length > 0) {
      const index = open.pop() as number;
      if (this.#reached[index] === this.#step) continue;
      this.#reached[index] = this.#step;
      const instruction = this.#instructions[index] as Instruction;
      switch (instruction.kind) {
        case "match":
          isMatched = true;
          break;
        case "split":
          open.push(...instruction.targets);
          break;
        case "assert":
          if (this.#holds(instruction.assertion, border)) open.push(instruction.next);
          break;
        case "set":
          if (point >= 0 && contains(instruction.points, point)) take(instruction.next);
      }
    }
    return isMatched;
  }

  /** Follows the start as if every assertion held. */
  #firstCharacters(): Uint8Array | null {
    const first = new Uint8Array(128);
    const seen = new Set([this.#start]);
    for (const index of seen) {
      const instruction = this.#instructions[index] as Instruction;
      if (instruction.kind === "match") return null;
      if (instruction.kind === "assert") seen.add(instruction.next);
      else if (instruction.kind === "split") { for (const target of instruction.targets) seen.add(target); }
      else for (let point = 0; point < 128; point++) first[point] ||= contains(instruction.points, point) ? 1 : 0;
    }
    return first;
  }

  #holds(assertion: Assertion, { before, after }: Border): boolean {
    if (assertion === "line-start") return before < 0;
    if (assertion === "line-end") return after < 0;
    const isBorder = (before >= 0 && contains(this.#word, before)) !== (after >= 0 && contains(this.#word, after));
    return isBorder === (assertion === "word-border");
  }

  #compile(node: Node, next: number): number {
    switch (node.kind) {
      case "empty":
        return next;
      case "set":
        return this.#instructions.push({ kind: "set", points: node.points, next }) - 1;
      case "sequence":
        return node.parts.reduceRight((after, part) => this.#compile(part, after), next);
      case "choice":
        return this.#instructions.push({
          kind: "split",
          targets: node.parts.map((part) => this.#compile(part, next)),
        }) - 1;
      case "assert":
        return this.#instructions.push({ kind: "assert", assertion: node.assertion, next }) - 1;
      case "repeat":
        return this.#compileRepeat(node, next);
    }
  }

  #compileRepeat(node: Extract<Node, { kind: "repeat" }>, next: number): number {
    let after = next;
    if (node.max === null) {
      const split: Instruction = { kind: "split", targets: [] };
      after = this.#instructions.push(split) - 1;
      split.targets = [this.#compile(node.part, after), next];
    } else {
      for (let count = node.min; count < node.max; count++) {
        after = this.#instructions.push({ kind: "split", targets: [this.#compile(node.part, after), next] }) - 1;
      }
    }
    for (let count = 0; count < node.min; count++) after = this.#compile(node.part, after);
    return after;
  }
}

/** First index from `at` on whose character is not ASCII or can start a match; the length of `line` when there is none. */
function skip(line: string, at: number, first: Uint8Array): number {
  let next = at;
  while (next < line.length) {
    const unit = line.charCodeAt(next);
    if (unit >= 128 || first[unit] === 1) break;
    next++;
  }
  return next;
}

/** The characters on both sides of a place; -1 where the line ends. */
interface Border {
  readonly before: number;
  readonly after: number;
}

/** Instructions followed, at most, between two questions whether to stop: some 20 ms. */
const STOP_CHECK_INSTRUCTIONS = 2_000_000;
