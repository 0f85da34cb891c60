/** What a report says about the bytes of a file, worked out without holding the event loop. */

import { createHash } from "node:crypto";
import type { Pacer } from "../../base/pacer.ts";

/** SHA-256 in lower-case hexadecimal. */
export async function revisionOf(bytes: Uint8Array, pacer: Pacer): Promise<string> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    hash.update(bytes.subarray(at, at + CHUNK_BYTES));
    if (pacer.isDue) await pacer.rest();
  }
  return hash.digest("hex");
}

/** Lines as `read_file` counts them: LF ends a line, and an unterminated last one counts. */
export async function countLinesOf(bytes: Uint8Array, pacer: Pacer): Promise<number> {
  let lines = 0;
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const chunk = bytes.subarray(from, from + CHUNK_BYTES);
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) lines++;
    if (pacer.isDue) await pacer.rest();
  }
  return bytes.length === 0 || bytes.at(-1) === LF ? lines : lines + 1;
}

const LF = 0x0a;
/** Worked on between two looks at the clock: 1 to 4 ms. */
const CHUNK_BYTES = 1 << 20;
