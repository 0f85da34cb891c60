/**
 * What the trampoline's program is written in: system calls, jumps to one failure exit, and data.
 *
 * A program is a list of `Action`s; `machine_x86_64.ts` and `machine_arm64.ts` turn each into machine code.
 * Nothing else is needed, so nothing else can be said: no memory access, no arithmetic, no branch but "failed".
 */

import type { SyscallName } from "./syscalls.ts";

/** Argument of a call: a number (sign-extended to 64 bits), the address of a piece of data, or a pointer found at entry. */
export type Operand = number | { readonly data: string } | { readonly entry: EntryPointer };

/**
 * Pointers that the kernel laid on the stack (System V ABI, "initial process stack"): the program to execute is
 * `argv[1]`, its own argument vector begins at `&argv[2]`. `scratch` is 8 KiB of free stack.
 */
export type EntryPointer = "program" | "arguments" | "environment" | "scratch";

/** One system call. */
export interface CallAction {
  readonly kind: "call";
  readonly name: SyscallName;
  readonly arguments: readonly Operand[];
  /** Step reported when the call fails; null: its failure changes nothing that matters. */
  readonly step: number | null;
}

/** Reports the result of the call before it: `step` with 0 or its error number. */
export interface ReportAction {
  readonly kind: "report";
  readonly step: number;
}

/** Ends with status 0, or waits until a signal ends the process. */
export interface EndAction {
  readonly kind: "exit" | "wait";
}

/** What a program can do. */
export type Action = CallAction | ReportAction | EndAction;

/** Bytes that the program points at, by name. Aligned to 8. */
export type ProgramData = Readonly<Record<string, Uint8Array>>;

/** A place in the code that holds the address of a piece of data. */
export interface Relocation {
  /** Bytes from the start of the code. */
  readonly offset: number;
  /** Name of the piece. */
  readonly data: string;
}

/** Assembled code whose addresses of data are still open. */
export interface MachineCode {
  readonly code: Uint8Array<ArrayBuffer>;
  readonly relocations: readonly Relocation[];
}

/** One architecture. */
export interface Machine {
  /** `e_machine` of ELF. */
  readonly elfMachine: number;
  /** `p_align`: the largest page size the architecture may run with. */
  readonly pageBytes: number;
  assemble(actions: readonly Action[]): MachineCode;
  /** Writes `address` (below 4 GiB) where `relocation` stands. */
  relocate(code: Uint8Array<ArrayBuffer>, relocation: Relocation, address: number): void;
}

/** Descriptor that carries the report; the spawner puts the write end of the status pipe there. */
export const STATUS_DESCRIPTOR = 4;

/** Status with which a trampoline that failed ends (contract 6.3). */
export const FAILED_EXIT_STATUS = 126;
