/** Gives the memory of pixels and files back at once: the collector sees only the small objects that hold them, and waits. */

/** `bytes` are empty afterwards. Does nothing to a part of a larger buffer, such as the memory of WebAssembly. */
export function giveBack(bytes: Uint8Array | Uint8ClampedArray): void {
  const { buffer } = bytes;
  if (bytes.byteLength > 0 && bytes.byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) {
    buffer.transfer(0);
  }
}
