/** Keeps assembled trampolines where they can be executed: in a sealed memfd, or in a file of a private directory. */

import { closeSync, constants, fchmodSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { randomId } from "../../base/random_id.ts";
import { SystemError } from "../errno.ts";
import { moveHigh } from "./descriptors.ts";
import { writeElf } from "./elf.ts";
import { cString, lastErrno, openLibc } from "./libc.ts";
import type { Machine } from "./machine.ts";
import { machineArm64 } from "./machine_arm64.ts";
import { machineX8664 } from "./machine_x86_64.ts";
import type { Architecture } from "./syscalls.ts";
import type { TrampolineProgram } from "./trampoline_program.ts";
import { EINVAL } from "./errno_numbers.ts";

/** Descriptor under which the child finds the memfd that it executes; the trampoline closes it. */
export const IMAGE_DESCRIPTOR = 5;

/** An executable trampoline. `descriptor` (of a memfd, close-on-exec) is null where it is a file. */
export interface Trampoline {
  readonly path: string;
  readonly descriptor: number | null;
}

const MACHINES: Readonly<Record<Architecture, Machine>> = { x86_64: machineX8664, aarch64: machineArm64 };

/** MFD_CLOEXEC | MFD_ALLOW_SEALING, and with MFD_EXEC, which Linux knows since 6.3. */
const MEMFD_FLAGS = 0x3;
const MEMFD_FLAGS_EXECUTABLE = 0x13;
const F_ADD_SEALS = 1033;
/** No sealing, shrinking, growing or writing any more. */
const ALL_SEALS = 0xf;

let libc: ReturnType<typeof openSymbols> | undefined;

/** The architecture of this process, or null where no trampoline exists for it. */
export function nativeArchitecture(): Architecture | null {
  return Deno.build.os === "linux" ? Deno.build.arch as Architecture : null;
}

/** The bytes of the executable for `program`. */
export function assembleTrampoline(program: TrampolineProgram, architecture: Architecture): Uint8Array<ArrayBuffer> {
  const machine = MACHINES[architecture];
  const { actions, data, pointers } = program;
  return writeElf({ machine, program: machine.assemble(actions), data, pointers });
}

/**
 * Puts `image` into a memfd that nobody can change any more.
 *
 * @throws SystemError where memfd_create(2) is refused.
 */
export function keepInMemory(image: Uint8Array<ArrayBuffer>): Trampoline {
  const name = cString("vise-launch");
  let descriptor = symbols().memfd_create(name, MEMFD_FLAGS_EXECUTABLE);
  if (descriptor < 0 && lastErrno() === EINVAL) descriptor = symbols().memfd_create(name, MEMFD_FLAGS);
  if (descriptor < 0) throw new SystemError(lastErrno(), "memfd_create", "vise-launch");
  try {
    const written = Number(symbols().write(descriptor, image, BigInt(image.length)));
    if (written !== image.length) throw new SystemError(written < 0 ? lastErrno() : "EIO", "write", "vise-launch");
    // Security: without seals a process of the same user could rewrite what the next command runs through.
    if (symbols().fcntl(descriptor, F_ADD_SEALS, ALL_SEALS) < 0) {
      throw new SystemError(lastErrno(), "fcntl(F_ADD_SEALS)", "vise-launch");
    }
  } catch (fault) {
    symbols().close(descriptor);
    throw fault;
  }
  return { path: `/proc/self/fd/${IMAGE_DESCRIPTOR}`, descriptor: moveHigh(descriptor) };
}

/**
 * Writes `image` to a new file whose name begins with `prefix`, for hosts that forbid executing memfds.
 *
 * Security: commands must not be able to write to its directory, or one command chooses how the next is confined.
 *
 * @throws whatever `node:fs` throws where the directory is missing or full.
 */
export function keepInFile(image: Uint8Array<ArrayBuffer>, prefix: string): Trampoline {
  const path = `${prefix}-${randomId(96)}`;
  const unfinished = `${path}.part`;
  const file = openSync(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeSync(file, image);
    fchmodSync(file, 0o500);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  return { path, descriptor: null };
}

/** Gives back what `keepInMemory` or `keepInFile` made. */
export function closeTrampoline(trampoline: Trampoline): void {
  if (trampoline.descriptor !== null) symbols().close(trampoline.descriptor);
  else rmSync(trampoline.path, { force: true });
}

function symbols(): ReturnType<typeof openSymbols> {
  return libc ??= openSymbols();
}

function openSymbols() {
  return openLibc({
    memfd_create: { parameters: ["buffer", "u32"], result: "i32" },
    write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
    fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
  });
}
