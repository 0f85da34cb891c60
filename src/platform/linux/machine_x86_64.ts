/**
 * x86-64 code of the trampoline.
 *
 * System V ABI for Linux, section A.2: number in `rax`, arguments in `rdi rsi rdx r10 r8 r9`, result in `rax`
 * (-4095…-1 is an error), `rcx` and `r11` destroyed. `r12`–`r15` keep the entry pointers, `ebx` the current step.
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

/** Opcodes of `mov r32, imm32` for the six argument registers (Intel SDM, MOV). */
const MOVE_IMMEDIATE: readonly (readonly number[])[] = [
  [0xbf], // edi
  [0xbe], // esi
  [0xba], // edx
  [0x41, 0xba], // r10d
  [0x41, 0xb8], // r8d
  [0x41, 0xb9], // r9d
];

/** `mov r64, simm32`: sign-extended, for negative numbers. */
const MOVE_NEGATIVE: readonly (readonly number[])[] = [
  [0x48, 0xc7, 0xc7],
  [0x48, 0xc7, 0xc6],
  [0x48, 0xc7, 0xc2],
  [0x49, 0xc7, 0xc2],
  [0x49, 0xc7, 0xc0],
  [0x49, 0xc7, 0xc1],
];

/** `mov argument, r12|r13|r14|r15` for the first three arguments, the only places where an entry pointer is passed. */
const MOVE_ENTRY = {
  program: [[0x4c, 0x89, 0xe7], [0x4c, 0x89, 0xe6], [0x4c, 0x89, 0xe2]],
  arguments: [[0x4c, 0x89, 0xef], [0x4c, 0x89, 0xee], [0x4c, 0x89, 0xea]],
  environment: [[0x4c, 0x89, 0xf7], [0x4c, 0x89, 0xf6], [0x4c, 0x89, 0xf2]],
  scratch: [[0x4c, 0x89, 0xff], [0x4c, 0x89, 0xfe], [0x4c, 0x89, 0xfa]],
} as const;

const ENTRY: readonly number[] = [
  ...[0x48, 0x8b, 0x04, 0x24], //       mov rax, [rsp]            argc
  ...[0x4c, 0x8b, 0x64, 0x24, 0x10], // mov r12, [rsp+16]         argv[1]
  ...[0x4c, 0x8d, 0x6c, 0x24, 0x18], // lea r13, [rsp+24]         &argv[2]
  ...[0x4c, 0x8d, 0x74, 0xc4, 0x10], // lea r14, [rsp+rax*8+16]   envp
  ...[0x4c, 0x8d, 0xbc, 0x24, ...word(-8192)], // lea r15, [rsp-8192]
];

const SYSCALL: readonly number[] = [0x0f, 0x05];
const TEST_RESULT: readonly number[] = [0x48, 0x85, 0xc0]; // test rax, rax

/** 62 is EM_X86_64 (elf.h); pages are 4 KiB. */
export const machineX8664: Machine = { elfMachine: 62, pageBytes: 0x1000, assemble, relocate };

function assemble(actions: readonly Action[]): MachineCode {
  const code: number[] = [...ENTRY];
  const relocations: Relocation[] = [];
  const jumpsToFailure: number[] = [];
  for (const action of actions) {
    if (action.kind === "call") {
      if (action.step !== null) code.push(0xbb, ...word(action.step)); // mov ebx, step
      pushCall(action);
      if (action.step === null) continue;
      code.push(...TEST_RESULT, 0x0f, 0x88); // js failure
      jumpsToFailure.push(code.length);
      code.push(...word(0));
    } else if (action.kind === "report") {
      code.push(0xbb, ...word(action.step), 0x31, 0xc9); //  mov ebx, step; xor ecx, ecx
      code.push(...TEST_RESULT, 0x0f, 0x49, 0xc1); //        cmovns eax, ecx: any success counts as 0
      code.push(...sendReport());
    } else if (action.kind === "exit") {
      code.push(...exit(0));
    } else {
      const start = code.length;
      code.push(0xb8, ...word(number("pause")), ...SYSCALL);
      code.push(0xeb, (start - (code.length + 2)) & 0xff); // jmp start
    }
  }
  const failure = code.length;
  code.push(...sendReport(), ...exit(FAILED_EXIT_STATUS));
  const bytes = new Uint8Array(code);
  const view = new DataView(bytes.buffer);
  for (const at of jumpsToFailure) view.setInt32(at, failure - (at + 4), true);
  return { code: bytes, relocations };

  function pushCall(call: CallAction): void {
    call.arguments.forEach((operand, index) => pushOperand(operand, index));
    code.push(0xb8, ...word(number(call.name)), ...SYSCALL); // mov eax, number; syscall
  }

  function pushOperand(operand: Operand, index: number): void {
    if (typeof operand === "number") {
      code.push(...(operand < 0 ? MOVE_NEGATIVE : MOVE_IMMEDIATE)[index]!, ...word(operand));
    } else if ("data" in operand) {
      code.push(...MOVE_IMMEDIATE[index]!);
      relocations.push({ offset: code.length, data: operand.data });
      code.push(...word(0));
    } else {
      const move = MOVE_ENTRY[operand.entry][index];
      if (move === undefined) throw new RangeError("An entry pointer must be one of the first three arguments");
      code.push(...move);
    }
  }
}

/** Sends `{ebx, -eax}` to the status descriptor. */
function sendReport(): number[] {
  return [
    ...[0xf7, 0xd8], //                       neg eax
    ...[0x48, 0x83, 0xec, 0x10], //           sub rsp, 16
    ...[0x89, 0x1c, 0x24], //                 mov [rsp], ebx
    ...[0x89, 0x44, 0x24, 0x04], //           mov [rsp+4], eax
    ...[0xbf, ...word(STATUS_DESCRIPTOR)], // mov edi, status
    ...[0x48, 0x89, 0xe6], //                 mov rsi, rsp
    ...[0xba, ...word(8)], //                 mov edx, 8
    ...[0xb8, ...word(number("write"))], //   mov eax, write
    ...SYSCALL,
  ];
}

function exit(status: number): number[] {
  // mov edi, status; mov eax, exit_group; syscall; ud2
  return [0xbf, ...word(status), 0xb8, ...word(number("exit_group")), ...SYSCALL, 0x0f, 0x0b];
}

function relocate(code: Uint8Array<ArrayBuffer>, relocation: Relocation, address: number): void {
  new DataView(code.buffer, code.byteOffset).setUint32(relocation.offset, address, true);
}

function number(name: CallAction["name"]): number {
  const value = syscallNumber(name, "x86_64");
  if (value === null) throw new RangeError(`x86-64 has no system call ${name}`);
  return value;
}

/** Four bytes, little-endian. */
function word(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff];
}
