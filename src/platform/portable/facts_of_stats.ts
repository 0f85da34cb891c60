import type { BigIntStats } from "node:fs";
import { type FileFacts, kindOfMode } from "../file_facts.ts";

/** What `node:fs` says of an object, in the form that both trees share. */
export function factsOfStats(stats: BigIntStats): FileFacts {
  const mode = Number(stats.mode);
  return {
    kind: kindOfMode(mode),
    size: Number(stats.size),
    mode: mode & 0o7777,
    dev: Number(stats.dev),
    ino: stats.ino,
    nlink: Number(stats.nlink),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    modifiedNs: stats.mtimeNs ?? stats.mtimeMs * 1_000_000n,
    changedNs: stats.ctimeNs ?? stats.ctimeMs * 1_000_000n,
  };
}
