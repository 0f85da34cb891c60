/** A compiled query: finds the lines of a buffer that match it. */

import { decodeUtf8 } from "../../base/utf8.ts";
import { compileByteProgram } from "./regex/byte_program.ts";
import type { CodePoints, UnicodeFacts } from "./regex/code_points.ts";
import { LazyAutomaton, MATCHED } from "./regex/lazy_automaton.ts";
import { LeftmostSearch } from "./regex/leftmost_search.ts";
import { decodedStep } from "./decoded_step.ts";
import { parseRegex } from "./regex/parse_regex.ts";
import { type RequiredLiterals, requiredLiterals } from "./regex/required_literals.ts";
import { literalNode, type Node } from "./regex/syntax_tree.ts";
import type { ScanKernel } from "./scan_kernel.ts";

/** What a line must hold or match. */
export interface Query {
  readonly query: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
}

/** A line that matches, as offsets in the kernel's buffer. */
export interface FoundLine {
  /** First byte of the line. */
  readonly start: number;
  /** Behind the last byte, terminator (LF or CRLF) excluded. */
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
  /** First byte of the leftmost match. */
  readonly matchAt: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Transitions made between two questions whether to stop: a few milliseconds for the largest patterns. */
const STOP_CHECK_STATES = 256;

/**
 * Three ways, the cheapest that is right: needles alone where they are the whole pattern; needles, then the automaton
 * on their lines; the automaton on everything. What the automaton accepts, `LeftmostSearch` decides exactly.
 */
export class TextMatcher {
  readonly #kernel: ScanKernel;
  readonly #literals: RequiredLiterals | null;
  readonly #makeAutomaton: () => LazyAutomaton;
  readonly #search: LeftmostSearch;
  readonly #shouldStop: () => boolean;
  #automaton: LazyAutomaton | undefined;

  /** @throws RegexError for a pattern that cannot be used */
  constructor(kernel: ScanKernel, query: Query, options: { unicode: UnicodeFacts; shouldStop: () => boolean }) {
    const { unicode, shouldStop } = options;
    const node = nodeOf(query, unicode);
    this.#kernel = kernel;
    this.#shouldStop = shouldStop;
    this.#literals = requiredLiterals(node);
    const program = compileByteProgram(node);
    this.#makeAutomaton = () => new LazyAutomaton(program, kernel.table);
    this.#search = new LeftmostSearch(node, hasBorder(node) ? unicode.word : NO_WORDS);
  }

  /** Takes the kernel, which other searches use in between. Call before every file, and after the buffer grew. */
  prepare(): void {
    if (!this.#kernel.claim(this)) return;
    if (this.#literals !== null) this.#kernel.setNeedles(this.#literals.needles);
    this.#automaton = undefined;
  }

  /**
   * First matching line that starts in [at, end). `at` is the start of a line; the last line may lack its line feed.
   * Null when there is none, or when `shouldStop` says yes.
   */
  next(at: number, end: number): FoundLine | null {
    const literals = this.#literals;
    if (literals === null || (literals.hasFoldedOutsiders && this.#kernel.hasOutsiders(at, end))) {
      return this.#nextByAutomaton(at, end);
    }
    for (let from = at; from < end;) {
      const hit = this.#kernel.findNeedles(from, end);
      if (hit >= end) return null;
      const line = this.#lineAt(from, hit, end);
      if (literals.isWhole) {
        if (hit < line.end) return { ...line, matchAt: hit };
      } else if (this.#accept(line.start, line.next, this.#startRow()) !== null) {
        const matchAt = this.#exactStart(line);
        if (matchAt >= 0) return { ...line, matchAt };
      }
      if (this.#shouldStop()) return null;
      from = line.next;
    }
    return null;
  }

  #nextByAutomaton(at: number, end: number): FoundLine | null {
    let row = this.#startRow();
    for (let from = at; from < end;) {
      const accepted = this.#accept(from, end, row);
      if (accepted === null) return null;
      const line = this.#lineAt(at, accepted, end);
      const matchAt = this.#exactStart(line);
      if (matchAt >= 0) return { ...line, matchAt };
      if (this.#shouldStop()) return null;
      from = line.next;
      row = this.#startRow();
    }
    return null;
  }

  /** Offset, at most `end`, of a place in the first line that the automaton accepts; null when it accepts none. */
  #accept(start: number, end: number, startRow: number): number | null {
    let row = startRow;
    for (let from = start, made = 0; from < end; from++) {
      ({ at: from, row } = this.#kernel.runStates(from, end, row));
      if (from >= end) break;
      row = this.#machine().transition(row, this.#kernel.buffer[from] as number);
      if (row === MATCHED) return from;
      if (++made % STOP_CHECK_STATES === 0 && this.#shouldStop()) return null;
    }
    // A last line without a line feed ends here all the same.
    return this.#kernel.buffer[end - 1] !== LINE_FEED && this.#machine().matchesAtLineEnd(row) ? end : null;
  }

  /** Offset of the leftmost match in `line`; -1 when it has none after all. */
  #exactStart(line: Omit<FoundLine, "matchAt">): number {
    const bytes = this.#kernel.buffer.subarray(line.start, line.end);
    const text = decodeUtf8(bytes);
    const unit = this.#search.find(text, this.#shouldStop);
    if (unit < 0) return -1;
    return text.length === bytes.length ? line.start + unit : line.start + byteOffsetOf(bytes, unit);
  }

  #lineAt(notBefore: number, at: number, end: number): Omit<FoundLine, "matchAt"> {
    const start = this.#kernel.lineStart(notBefore, at);
    const feed = this.#kernel.findByte(at, end, LINE_FEED);
    const isCrlf = feed < end && feed > start && this.#kernel.buffer[feed - 1] === CARRIAGE_RETURN;
    return { start, end: isCrlf ? feed - 1 : feed, next: Math.min(feed + 1, end) };
  }

  #machine(): LazyAutomaton {
    return this.#automaton ??= this.#makeAutomaton();
  }

  #startRow(): number {
    return this.#machine().lineStart;
  }
}

const NO_WORDS: CodePoints = [];

function nodeOf(query: Query, unicode: UnicodeFacts): Node {
  if (query.isRegex) return parseRegex(query.query, { isCaseSensitive: query.isCaseSensitive, unicode });
  return literalNode(query.query, query.isCaseSensitive ? (points) => points : (points) => unicode.folded(points));
}

function hasBorder(node: Node): boolean {
  switch (node.kind) {
    case "assert":
      return node.assertion === "word-border" || node.assertion === "no-word-border";
    case "sequence":
    case "choice":
      return node.parts.some(hasBorder);
    case "repeat":
      return hasBorder(node.part);
    default:
      return false;
  }
}

/** Bytes that the first `units` UTF-16 units of the decoded text of `bytes` stand for. */
function byteOffsetOf(bytes: Uint8Array, units: number): number {
  let at = 0;
  for (let seen = 0; seen < units;) {
    const step = decodedStep(bytes, at);
    at += step.bytes;
    seen += step.units;
  }
  return at;
}
