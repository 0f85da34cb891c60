/**
 * The deterministic automaton of a byte program, made state by state where the text leads.
 *
 * A transition is taken with the next byte known, so that assertions are decided when they are met: a match is noticed
 * one byte after its end, or at the line's end. Lines restart the automaton, because no pattern matches a line feed.
 */

import type { ByteInstruction, ByteProgram } from "./byte_program.ts";

/** Rows of the table, as the kernel reads them: `UNKNOWN`, `MATCHED` or the address of the next row. */
const UNKNOWN = 0;
/** State in which the line has matched; the rest of it needs no look. */
export const MATCHED = 1;

/** Memory that the automaton shares with the scan kernel. */
export interface TableMemory {
  /** 256 bytes for the class of each byte. */
  readonly classes: Uint8Array;
  /** The rows; `address` is where they start in the kernel's memory. */
  readonly rows: Int32Array;
  readonly address: number;
}

/** Byte class of the end of a line; also used for the end of a file without a line feed. */
const LINE_FEED = 0x0a;
/** It may end the line together with the next byte: taken as if it did. */
const CARRIAGE_RETURN = 0x0d;

/** What stood before: it decides assertions. */
const enum Before {
  LineStart,
  Word,
  Other,
  /** A byte of a character outside ASCII: whether it is part of a word is left open. */
  Outside,
}

interface State {
  readonly instructions: readonly number[];
  readonly before: Before;
}

/** Starts anew with an empty table when the memory is full. */
export class LazyAutomaton {
  readonly #program: ByteProgram;
  readonly #memory: TableMemory;
  /** One byte of every class, and how many 32-bit places a row has. */
  readonly #representatives: readonly number[];
  readonly #rowLength: number;
  readonly #hasBorders: boolean;
  readonly #marks: Int32Array;
  #mark = 0;
  #states: State[] = [];
  #rowByKey = new Map<string, number>();

  constructor(program: ByteProgram, memory: TableMemory) {
    this.#program = program;
    this.#memory = memory;
    this.#hasBorders = program.instructions.some((one) => one.kind === "assert" && one.assertion.includes("word"));
    this.#representatives = classify(program, { hasBorders: this.#hasBorders, classes: memory.classes });
    this.#rowLength = this.#representatives.length;
    this.#marks = new Int32Array(program.instructions.length).fill(-1);
    this.#clear();
  }

  /** Row of the state at the start of a line: always the first. */
  get lineStart(): number {
    return this.#memory.address;
  }

  /**
   * Fills in the transition of the state at `row` for `byte` and returns it. When the table is full it starts anew,
   * and every row from before is void.
   */
  transition(row: number, byte: number): number {
    const known = this.#memory.rows[this.#index(row, byte)] as number;
    if (known !== UNKNOWN) return known;
    const state = this.#states[(row - this.#memory.address) / (this.#rowLength * 4)] as State;
    const next = this.#step(state, byte);
    if (next === null) {
      this.#memory.rows[this.#index(row, byte)] = MATCHED;
      return MATCHED;
    }
    const isFull = (this.#states.length + 1) * this.#rowLength > this.#memory.rows.length;
    const isNew = !this.#rowByKey.has(keyOf(next));
    if (isFull && isNew) this.#clear();
    const target = this.#rowOf(next);
    if (!(isFull && isNew)) this.#memory.rows[this.#index(row, byte)] = target;
    return target;
  }

  /** True when the line ends in a match in the state at `row`. */
  matchesAtLineEnd(row: number): boolean {
    return this.transition(row, LINE_FEED) === MATCHED;
  }

  #index(row: number, byte: number): number {
    return ((row - this.#memory.address) >> 2) + (this.#memory.classes[byte] as number);
  }

  #clear(): void {
    this.#memory.rows.fill(UNKNOWN);
    this.#states = [];
    this.#rowByKey = new Map();
    this.#rowOf({ instructions: [], before: Before.LineStart });
  }

  #rowOf(state: State): number {
    const key = keyOf(state);
    const known = this.#rowByKey.get(key);
    if (known !== undefined) return known;
    const row = this.#memory.address + this.#states.length * this.#rowLength * 4;
    this.#states.push(state);
    this.#rowByKey.set(key, row);
    return row;
  }

  /** The state after `byte`; null when a match ends before it. */
  #step(state: State, byte: number): State | null {
    const after = this.#hasBorders ? kindOf(byte) : Before.Other;
    const next: number[] = [];
    this.#mark++;
    const open = [...state.instructions, this.#program.start];
    while (open.length > 0) {
      const index = open.pop() as number;
      if (this.#marks[index] === this.#mark) continue;
      this.#marks[index] = this.#mark;
      const instruction = this.#program.instructions[index] as ByteInstruction;
      switch (instruction.kind) {
        case "match":
          return null;
        case "split":
          open.push(...instruction.targets);
          break;
        case "assert":
          if (
            mayHold(instruction.assertion, {
              before: state.before,
              after,
              isLineEnd: byte === LINE_FEED || byte === CARRIAGE_RETURN,
            })
          ) {
            open.push(instruction.next);
          }
          break;
        case "bytes":
          if (instruction.set[byte] === 1) next.push(instruction.next);
      }
    }
    if (byte === LINE_FEED) return { instructions: [], before: Before.LineStart };
    return { instructions: [...new Set(next)].sort((a, b) => a - b), before: after };
  }
}

function keyOf(state: State): string {
  return `${state.before}:${state.instructions.join(",")}`;
}

function kindOf(byte: number): Before {
  if (byte >= 0x80) return Before.Outside;
  const isWord = (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f ||
    (byte >= 0x61 && byte <= 0x7a);
  return isWord ? Before.Word : Before.Other;
}

interface Place {
  readonly before: Before;
  readonly after: Before;
  readonly isLineEnd: boolean;
}

function mayHold(assertion: string, { before, after, isLineEnd }: Place): boolean {
  if (assertion === "line-start") return before === Before.LineStart;
  if (assertion === "line-end") return isLineEnd;
  if (before === Before.Outside || after === Before.Outside) return true;
  return ((before === Before.Word) !== (after === Before.Word)) === (assertion === "word-border");
}

/** Numbers the bytes that no instruction tells apart alike; returns one byte of each class. */
function classify(
  program: ByteProgram,
  { hasBorders, classes }: { readonly hasBorders: boolean; readonly classes: Uint8Array },
): number[] {
  const sets = new Set<Uint8Array>();
  for (const instruction of program.instructions) if (instruction.kind === "bytes") sets.add(instruction.set);
  const numbers = new Map<string, number>();
  const representatives: number[] = [];
  for (let byte = 0; byte < 256; byte++) {
    let key = hasBorders ? String(kindOf(byte)) : "";
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN) key = String.fromCharCode(byte);
    for (const set of sets) key += set[byte] === 1 ? "1" : "0";
    let number = numbers.get(key);
    if (number === undefined) {
      number = representatives.push(byte) - 1;
      numbers.set(key, number);
    }
    classes[byte] = number;
  }
  return representatives;
}
