/** The bytes of an open file, front to back, in constant memory. */

import type { FileHandle } from "../../platform/tree.ts";

/** How far to read, and what stops it. */
export interface ChunkOptions {
  /** Size to read up to: what the file had when the read began. 0: to the end, for files that know no size (procfs). */
  readonly sizeBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Reads ahead by one chunk on another thread while the consumer works on the one before.
 *
 * A chunk is valid until the next one is asked for. Every chunk of a large file comes after a turn of the event loop.
 *
 * @throws SystemError; the reason of an aborted `signal`
 */
export async function* fileChunks(handle: FileHandle, options: ChunkOptions): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const limit = options.sizeBytes === 0 ? Infinity : options.sizeBytes;
  if (limit <= SMALL_BYTES) {
    const filled = fillSync(handle, new Uint8Array(limit));
    if (filled.length > 0) yield filled;
    return;
  }
  const buffers = [new Uint8Array(CHUNK_BYTES), new Uint8Array(CHUNK_BYTES)] as const;
  let position = 0;
  let coming: Promise<number> | null = handle.read(within(buffers[0], limit), 0);
  try {
    for (let turn = 0; coming !== null; turn++) {
      const count: number = await coming;
      coming = null;
      options.signal.throwIfAborted();
      if (count === 0) return;
      position += count;
      const next = buffers[(turn + 1) % 2] as Uint8Array<ArrayBuffer>;
      if (position < limit) coming = handle.read(within(next, limit - position), position);
      yield (buffers[turn % 2] as Uint8Array<ArrayBuffer>).subarray(0, count);
    }
  } finally {
    // The thread still writes into the buffer and uses the descriptor, which the caller closes next.
    await coming?.catch(() => 0);
  }
}

/** A file of this size is read in one blocking call, which is cheaper than the way to another thread (about 50 µs). */
const SMALL_BYTES = 64 * 1024;
/** 256 KiB: a quarter of a millisecond of hashing, so that no turn of the loop is long; larger gains no speed. */
const CHUNK_BYTES = 256 * 1024;

function within(buffer: Uint8Array<ArrayBuffer>, limitBytes: number): Uint8Array<ArrayBuffer> {
  return limitBytes < buffer.length ? buffer.subarray(0, limitBytes) : buffer;
}

function fillSync(handle: FileHandle, buffer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const count = handle.readSync(buffer.subarray(filled), filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
