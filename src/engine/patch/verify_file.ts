/** Looks whether a file is still what the call had read. */

import type { FileFacts } from "../../platform/file_facts.ts";
import type { WriteDirectory } from "../../platform/write_tree.ts";
import { sameBytes, type StagedFile } from "./staged_file.ts";
import { conflict } from "./write_fault.ts";

/**
 * Compares kind, mode and content with the baseline; returns the file's facts, null where there was and is none.
 *
 * @throws ToolError PATCH_CONFLICT when somebody changed it meanwhile
 */
export async function verifyFile(file: StagedFile, directory: WriteDirectory): Promise<FileFacts | null> {
  const before = file.baseline;
  const facts = directory.facts(file.name);
  if (before === null) {
    if (facts !== null) throw conflict(file.path, "it was created by somebody else meanwhile");
    return null;
  }
  if (facts === null) throw conflict(file.path, "it was removed by somebody else meanwhile");
  if (facts.kind !== "file") throw conflict(file.path, `it became a ${facts.kind} meanwhile`);
  if (facts.mode !== before.facts.mode) throw conflict(file.path, "its mode was changed by somebody else meanwhile");
  if (facts.size !== before.bytes.length) throw conflict(file.path, "it was changed by somebody else meanwhile");
  const read = await directory.read(file.name, { limitBytes: before.bytes.length });
  if (!sameBytes(read.bytes, before.bytes)) throw conflict(file.path, "it was changed by somebody else meanwhile");
  return read.facts;
}

/** True if nobody touched the file since: content changes move the change time, replacements the inode. */
export function isSameMoment(a: FileFacts | null, b: FileFacts | null): boolean {
  if (a === null || b === null) return a === b;
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mode === b.mode && a.changedNs === b.changedNs;
}
