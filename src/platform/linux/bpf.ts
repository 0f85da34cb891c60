/**
 * Assembler for the classic BPF of seccomp(2), and a machine that runs it in tests.
 *
 * Eight bytes an instruction (`struct sock_filter`, linux/filter.h): u16 code, u8 jump if true, u8 jump if false,
 * u32 value. One accumulator; data is `struct seccomp_data`: nr at 0, arch at 4, arguments from 16, eight bytes each.
 */

/** Where a conditional jump goes: the next instruction, or the place marked with that name. */
type Target = "next" | (string & Record<never, never>);

interface Instruction {
  readonly code: number;
  readonly value: number;
  readonly ifTrue: Target;
  readonly ifFalse: Target;
}

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Bytes of one instruction. */
export const BPF_INSTRUCTION_BYTES = 8;

/** Builds one program; jumps lead forward only, as the kernel asks for. */
export class BpfAssembler {
  readonly #instructions: Instruction[] = [];
  readonly #marks = new Map<string, number>();

  /** Loads the 32 bits at `offset` of the call's data. */
  load(offset: number): void {
    this.#push(LOAD_WORD, offset);
  }

  /** Keeps the bits of `mask` in the accumulator. */
  and(mask: number): void {
    this.#push(AND, mask);
  }

  /** Goes on at `yes` or `no`; with the next instruction where that is absent. */
  jumpIfEqual(value: number, to: { readonly yes?: Target; readonly no?: Target }): void {
    this.#push(JUMP_EQUAL, value, to);
  }

  /** Unsigned comparison. */
  jumpIfAtLeast(value: number, to: { readonly yes?: Target; readonly no?: Target }): void {
    this.#push(JUMP_AT_LEAST, value, to);
  }

  jumpIfAnyBit(mask: number, to: { readonly yes?: Target; readonly no?: Target }): void {
    this.#push(JUMP_ANY_BIT, mask, to);
  }

  /** Ends the filter with a verdict (`SECCOMP_RET_…`). */
  answer(verdict: number): void {
    this.#push(RETURN, verdict);
  }

  /** Names the next instruction. Jumps go forward only, at most 255 instructions. */
  mark(name: string): void {
    this.#marks.set(name, this.#instructions.length);
  }

  /** The program. @throws RangeError if a jump has no target or goes too far. */
  assemble(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#instructions.length * BPF_INSTRUCTION_BYTES);
    const view = new DataView(bytes.buffer);
    this.#instructions.forEach((instruction, index) => {
      const at = index * BPF_INSTRUCTION_BYTES;
      view.setUint16(at, instruction.code, true);
      view.setUint8(at + 2, this.#distance(instruction.ifTrue, index));
      view.setUint8(at + 3, this.#distance(instruction.ifFalse, index));
      view.setUint32(at + 4, instruction.value >>> 0, true);
    });
    return bytes;
  }

  #push(code: number, value: number, to: { readonly yes?: Target; readonly no?: Target } = {}): void {
    this.#instructions.push({ code, value, ifTrue: to.yes ?? "next", ifFalse: to.no ?? "next" });
  }

  #distance(target: Target, from: number): number {
    if (target === "next") return 0;
    const mark = this.#marks.get(target);
    if (mark === undefined) throw new RangeError(`No instruction is marked ${target}`);
    const distance = mark - (from + 1);
    if (distance < 0 || distance > 255) throw new RangeError(`Jump to ${target} is ${distance} instructions long`);
    return distance;
  }
}

/** What the kernel hands to a filter (`struct seccomp_data`). */
export interface SeccompData {
  /** Of the system call, on the architecture below. */
  readonly number: number;
  /** AUDIT_ARCH_… (linux/audit.h). */
  readonly architecture: number;
  readonly arguments: readonly bigint[];
}

/** The verdict of `program` for one call: the same steps as the kernel's, for tests and for reading. */
export function runFilter(program: Uint8Array<ArrayBuffer>, data: SeccompData): number {
  const input = new DataView(new ArrayBuffer(64));
  input.setUint32(0, data.number, true);
  input.setUint32(4, data.architecture, true);
  data.arguments.forEach((value, index) => input.setBigUint64(16 + 8 * index, BigInt.asUintN(64, value), true));
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  let accumulator = 0;
  for (let index = 0; index * BPF_INSTRUCTION_BYTES < program.length; index++) {
    const at = index * BPF_INSTRUCTION_BYTES;
    const code = view.getUint16(at, true);
    const value = view.getUint32(at + 4, true);
    if (code === RETURN) return value;
    if (code === LOAD_WORD) accumulator = input.getUint32(value, true);
    else if (code === AND) accumulator = (accumulator & value) >>> 0;
    else index += view.getUint8(at + (holds(code, accumulator, value) ? 2 : 3));
  }
  throw new RangeError("The filter ended without a verdict");
}

function holds(code: number, accumulator: number, value: number): boolean {
  if (code === JUMP_EQUAL) return accumulator === value;
  if (code === JUMP_AT_LEAST) return accumulator >= value;
  if (code === JUMP_ANY_BIT) return (accumulator & value) !== 0;
  throw new RangeError(`Unknown instruction ${code}`);
}
