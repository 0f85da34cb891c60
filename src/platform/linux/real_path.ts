/** realpath(3) by libc: the runtime's own call refuses /dev once a permission was given up (O-53). */

import { cString, openLibc } from "./libc.ts";

const PATH_MAX = 4096;

let libc: ReturnType<typeof openSymbols> | undefined;

/** `path` without links; null if it is not there. */
export function realPath(path: string): string | null {
  libc ??= openSymbols();
  const resolved = new Uint8Array(PATH_MAX);
  if (libc.realpath(cString(path), resolved) === null) return null;
  return new TextDecoder().decode(resolved.subarray(0, resolved.indexOf(0)));
}

function openSymbols() {
  return openLibc({ realpath: { parameters: ["buffer", "buffer"], result: "pointer" } });
}
