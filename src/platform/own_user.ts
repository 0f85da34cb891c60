/** Effective user and group of this process. */

import process from "node:process";
import { openLibc } from "./linux/libc.ts";

/** The user and group that files made by this process get (credentials(7)). */
export interface OwnUser {
  readonly uid: number;
  readonly gid: number;
}

let known: OwnUser | null | undefined;

/** Null where the system has no such numbers, or where neither `--allow-sys` nor FFI lets them be asked for. */
export function ownUser(): OwnUser | null {
  return known === undefined ? known = askRuntime() ?? askLibc() : known;
}

function askRuntime(): OwnUser | null {
  try {
    const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
    return uid === undefined || gid === undefined ? null : { uid, gid };
  } catch {
    // Not permitted without --allow-sys; the C library can be asked where FFI is permitted.
    return null;
  }
}

function askLibc(): OwnUser | null {
  if (Deno.build.os === "windows") return null;
  try {
    const libc = openLibc({
      geteuid: { parameters: [], result: "u32" },
      getegid: { parameters: [], result: "u32" },
    });
    return { uid: libc.geteuid(), gid: libc.getegid() };
  } catch {
    // No FFI: nobody can tell.
    return null;
  }
}
