/**
 * arm64 code of the trampoline.
 *
 * Linux `Documentation/arch/arm64`: number in `x8`, arguments in `x0`–`x5`, result in `x0` (-4095…-1 is an error),
 * everything else preserved. `x19`–`x21` and `x23` keep the entry pointers, `w22` the current step. Encodings: Arm ARM, C6.2.
 */

import {
  type Action,
  type CallAction,
  FAILED_EXIT_STATUS,
  type Machine,
  type MachineCode,
  type Operand,
  type Relocation,
  STATUS_DESCRIPTOR,
} from "./machine.ts";
import { syscallNumber } from "./syscalls.ts";

const ENTRY: readonly number[] = [
  0xf94003e9, // ldr x9, [sp]              argc
  0xf9400bf3, // ldr x19, [sp, #16]        argv[1]
  0x910063f4, // add x20, sp, #24          &argv[2]
  0x910043f5, // add x21, sp, #16
  0x8b090eb5, // add x21, x21, x9, lsl #3  envp
  0xd1400bf7, // sub x23, sp, #8192
];

const ENTRY_REGISTER = { program: 19, arguments: 20, environment: 21, scratch: 23 } as const;
const STEP_REGISTER = 22;
const NUMBER_REGISTER = 8;
const SUPERVISOR_CALL = 0xd4000001; // svc #0

/** 183 is EM_AARCH64 (elf.h); pages are at most 64 KiB. */
export const machineArm64: Machine = { elfMachine: 183, pageBytes: 0x1_0000, assemble, relocate };

function assemble(actions: readonly Action[]): MachineCode {
  const words: number[] = [...ENTRY];
  const relocations: Relocation[] = [];
  const jumpsToFailure: number[] = [];
  for (const action of actions) {
    if (action.kind === "call") {
      if (action.step !== null) words.push(...moveImmediate(STEP_REGISTER, action.step));
      action.arguments.forEach((operand, index) => pushOperand(operand, index));
      words.push(...moveImmediate(NUMBER_REGISTER, number(action.name)), SUPERVISOR_CALL);
      if (action.step === null) continue;
      jumpsToFailure.push(words.length);
      words.push(0xb7f80000); // tbnz x0, #63, failure
    } else if (action.kind === "report") {
      words.push(...moveImmediate(STEP_REGISTER, action.step));
      words.push(0x937ffc09, 0x8a090000); // asr x9, x0, #63; and x0, x0, x9: any success counts as 0
      words.push(...sendReport());
    } else if (action.kind === "exit") {
      words.push(...exit(0));
    } else {
      const start = words.length;
      // ppoll(NULL, 0, NULL, NULL): arm64 has no pause(2).
      for (let argument = 0; argument < 4; argument++) words.push(...moveImmediate(argument, 0));
      words.push(...moveImmediate(NUMBER_REGISTER, number("ppoll")), SUPERVISOR_CALL);
      words.push(0x14000000 | ((start - words.length) & 0x03ff_ffff)); // b start
    }
  }
  const failure = words.length;
  words.push(...sendReport(), ...exit(FAILED_EXIT_STATUS));
  for (const at of jumpsToFailure) words[at]! |= ((failure - at) & 0x3fff) << 5;
  const code = new Uint8Array(words.length * 4);
  const view = new DataView(code.buffer);
  words.forEach((word, index) => view.setUint32(index * 4, word >>> 0, true));
  return { code, relocations };

  function pushOperand(operand: Operand, index: number): void {
    if (typeof operand === "number") {
      words.push(...moveImmediate(index, operand));
    } else if ("data" in operand) {
      relocations.push({ offset: words.length * 4, data: operand.data });
      words.push(moveWide("movz", index, 0, 0), moveWide("movk", index, 1, 0));
    } else {
      words.push(0xaa0003e0 | (ENTRY_REGISTER[operand.entry] << 16) | index); // mov xN, xM
    }
  }
}

/** Sends `{w22, -w0}` to the status descriptor. */
function sendReport(): number[] {
  return [
    0xd10043ff, // sub sp, sp, #16
    0x4b0003e9, // neg w9, w0
    0x290027f6, // stp w22, w9, [sp]
    ...moveImmediate(0, STATUS_DESCRIPTOR),
    0x910003e1, // mov x1, sp
    ...moveImmediate(2, 8),
    ...moveImmediate(NUMBER_REGISTER, number("write")),
    SUPERVISOR_CALL,
  ];
}

function exit(status: number): number[] {
  const code = [...moveImmediate(0, status), ...moveImmediate(NUMBER_REGISTER, number("exit_group"))];
  return [...code, SUPERVISOR_CALL, 0xd4200000]; // brk #0 behind what does not return
}

/** `value` sign-extended to 64 bits, in as few 16-bit moves as zeros (or ones) allow. */
function moveImmediate(register: number, value: number): number[] {
  const wide = BigInt.asUintN(64, BigInt(value));
  const parts = [0, 1, 2, 3].map((index) => Number((wide >> BigInt(16 * index)) & 0xffffn));
  const filler = value < 0 ? 0xffff : 0;
  const words: number[] = [];
  parts.forEach((part, index) => {
    if (part === filler) return;
    if (words.length > 0) words.push(moveWide("movk", register, index, part));
    else if (value < 0) words.push(moveWide("movn", register, index, ~part & 0xffff));
    else words.push(moveWide("movz", register, index, part));
  });
  if (words.length === 0) words.push(moveWide(value < 0 ? "movn" : "movz", register, 0, 0));
  return words;
}

const MOVE_WIDE = { movn: 0x92800000, movz: 0xd2800000, movk: 0xf2800000 } as const;

/** One move of 16 bits to position `half` (0 lowest) of a 64-bit register. */
function moveWide(kind: keyof typeof MOVE_WIDE, register: number, half: number, part: number): number {
  return (MOVE_WIDE[kind] | (half << 21) | (part << 5) | register) >>> 0;
}

/** The address fills the `movz`/`movk` pair at `relocation`. */
function relocate(code: Uint8Array<ArrayBuffer>, relocation: Relocation, address: number): void {
  const view = new DataView(code.buffer, code.byteOffset);
  for (const half of [0, 1]) {
    const at = relocation.offset + half * 4;
    view.setUint32(at, view.getUint32(at, true) | (((address >>> (16 * half)) & 0xffff) << 5), true);
  }
}

function number(name: CallAction["name"]): number {
  const value = syscallNumber(name, "aarch64");
  if (value === null) throw new RangeError(`arm64 has no system call ${name}`);
  return value;
}
