/** Why a file is no text that can be read or edited. */

import { type NextAction, ToolError } from "../../base/tool_error.ts";
import { shown } from "../workspace/path_spelling.ts";

/** Bytes at the start of a file in which a NUL marks it as binary (contract 3.3). */
const BINARY_PROBE_BYTES = 4096;

/**
 * Refuses a file by its first bytes.
 *
 * @throws ToolError BINARY_FILE, or UNSUPPORTED_ENCODING for a byte order mark of UTF-16 or UTF-32
 */
export function checkIsText(spelled: string, start: Uint8Array, sizeBytes: number): void {
  const mark = BYTE_ORDER_MARKS.find(({ bytes }) => bytes.every((byte, at) => start[at] === byte));
  if (mark !== undefined) {
    throw new ToolError("UNSUPPORTED_ENCODING", `Cannot read ${shown(spelled)}: it is ${mark.name} text, not UTF-8`, {
      details: {
        path: spelled,
        encoding: mark.name,
        byte_offset: 0,
        retry_hint: `Convert a copy with exec_command, for example: iconv -f ${mark.name} -t UTF-8.`,
      },
    });
  }
  const nul = start.subarray(0, BINARY_PROBE_BYTES).indexOf(0);
  if (nul < 0) return;
  const next: NextAction = isImage(start)
    ? { tool: "view_image", arguments: { path: spelled } }
    : { tool: "exec_command", arguments: { cmd: `od -A d -t x1z -N 256 -- ${quoted(spelled)}` } };
  throw new ToolError("BINARY_FILE", `Cannot read ${shown(spelled)}: it is binary, byte ${nul} is NUL`, {
    details: { path: spelled, byte_offset: nul, total_bytes: sizeBytes, next_action: next },
  });
}

/** The refusal of a file with an invalid sequence at `byteOffset`. */
export function notUtf8(spelled: string, byteOffset: number): ToolError {
  return new ToolError(
    "UNSUPPORTED_ENCODING",
    `Cannot read ${shown(spelled)}: byte ${byteOffset} is not valid UTF-8`,
    {
      details: {
        path: spelled,
        byte_offset: byteOffset,
        retry_hint: "Look at the bytes or convert a copy with exec_command (iconv), or search it with search_text.",
      },
    },
  );
}

/** UTF-32 first: its little-endian mark begins like that of UTF-16 (Unicode 23.8). */
const BYTE_ORDER_MARKS: readonly { readonly name: string; readonly bytes: readonly number[] }[] = [
  { name: "UTF-32LE", bytes: [0xff, 0xfe, 0, 0] },
  { name: "UTF-32BE", bytes: [0, 0, 0xfe, 0xff] },
  { name: "UTF-16LE", bytes: [0xff, 0xfe] },
  { name: "UTF-16BE", bytes: [0xfe, 0xff] },
];

const IMAGE_STARTS: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x52, 0x49, 0x46, 0x46],
];

function isImage(start: Uint8Array): boolean {
  return IMAGE_STARTS.some((bytes) => bytes.every((byte, at) => start[at] === byte));
}

/** One word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
