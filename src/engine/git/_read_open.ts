/** Reads an open file from its start to its end. */

import type { FileHandle } from "../../platform/tree.ts";

/** All bytes of `file`, as many as it had when the reading began. */
export async function readOpen(file: FileHandle): Promise<Uint8Array> {
  const bytes = new Uint8Array(file.facts().size);
  let filled = 0;
  while (filled < bytes.length) {
    const read = await file.read(bytes.subarray(filled), filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
