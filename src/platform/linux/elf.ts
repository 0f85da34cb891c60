/**
 * Writes the smallest static ELF-64 executable that holds given code and read-only data.
 *
 * Layout (elf(5)): header · two program headers · code · data. One segment, readable and executable, never
 * writable; PT_GNU_STACK without the executable bit, because without that header the stack would be executable.
 */

import type { Machine, MachineCode, ProgramData } from "./machine.ts";

/** Where the segment lies. Below 4 GiB, so that an address fits 32 bits; a multiple of every page size up to 64 KiB. */
const BASE_ADDRESS = 0x40_0000;
const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const CODE_OFFSET = HEADER_BYTES + 2 * PROGRAM_HEADER_BYTES;

const PT_LOAD = 1;
const PT_GNU_STACK = 0x6474e551;
const READ_EXECUTE = 5;
const READ_WRITE = 6;

/** Code and data of one executable. */
export interface ElfContent {
  readonly machine: Machine;
  readonly program: MachineCode;
  readonly data: ProgramData;
  /** Pieces of data that hold the address of another piece: `at` bytes into `in` stands the address of `of`. */
  readonly pointers: readonly { readonly in: string; readonly at: number; readonly of: string }[];
}

/** The file's bytes. @throws RangeError if code or pointers name data that is not there. */
export function writeElf(content: ElfContent): Uint8Array<ArrayBuffer> {
  const offsets = new Map<string, number>();
  let end = CODE_OFFSET + content.program.code.length;
  for (const [name, bytes] of Object.entries(content.data)) {
    end = (end + 7) & ~7;
    offsets.set(name, end);
    end += bytes.length;
  }
  const file = new Uint8Array(end);
  writeHeaders(file, content.machine);
  const code = file.subarray(CODE_OFFSET, CODE_OFFSET + content.program.code.length);
  code.set(content.program.code);
  for (const relocation of content.program.relocations) {
    content.machine.relocate(code, relocation, addressOf(relocation.data));
  }
  for (const [name, bytes] of Object.entries(content.data)) file.set(bytes, offsetOf(name));
  const view = new DataView(file.buffer);
  for (const pointer of content.pointers) {
    view.setBigUint64(offsetOf(pointer.in) + pointer.at, BigInt(addressOf(pointer.of)), true);
  }
  return file;

  function offsetOf(name: string): number {
    const offset = offsets.get(name);
    if (offset === undefined) throw new RangeError(`No data is called ${name}`);
    return offset;
  }

  function addressOf(name: string): number {
    return BASE_ADDRESS + offsetOf(name);
  }
}

function writeHeaders(file: Uint8Array<ArrayBuffer>, machine: Machine): void {
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // magic, 64 bits, little-endian, version 1
  view.setUint16(16, 2, true); // e_type EXEC
  view.setUint16(18, machine.elfMachine, true);
  view.setUint32(20, 1, true); // e_version
  view.setBigUint64(24, BigInt(BASE_ADDRESS + CODE_OFFSET), true); // e_entry
  view.setBigUint64(32, BigInt(HEADER_BYTES), true); // e_phoff
  view.setUint16(52, HEADER_BYTES, true);
  view.setUint16(54, PROGRAM_HEADER_BYTES, true);
  view.setUint16(56, 2, true); // e_phnum
  view.setUint16(58, 64, true); // e_shentsize
  writeProgramHeader({ type: PT_LOAD, flags: READ_EXECUTE, address: BASE_ADDRESS, bytes: file.length }, HEADER_BYTES);
  writeProgramHeader(
    { type: PT_GNU_STACK, flags: READ_WRITE, address: 0, bytes: 0 },
    HEADER_BYTES + PROGRAM_HEADER_BYTES,
  );

  function writeProgramHeader(
    header: { type: number; flags: number; address: number; bytes: number },
    at: number,
  ): void {
    view.setUint32(at, header.type, true);
    view.setUint32(at + 4, header.flags, true);
    view.setBigUint64(at + 16, BigInt(header.address), true);
    view.setBigUint64(at + 24, BigInt(header.address), true);
    view.setBigUint64(at + 32, BigInt(header.bytes), true);
    view.setBigUint64(at + 40, BigInt(header.bytes), true);
    view.setBigUint64(at + 48, BigInt(header.type === PT_LOAD ? machine.pageBytes : 16), true);
  }
}
