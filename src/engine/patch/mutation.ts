/** One file of a commit: what it takes, and how far it got. */

import { randomBytes } from "node:crypto";
import type { FileFacts } from "../../platform/file_facts.ts";
import type { StagedFile } from "./staged_file.ts";

/** The way of one changed file; the flags decide what is undone. */
export interface Mutation {
  readonly file: StagedFile;
  /** Name beside the target where the new content waits; null when the file is removed. */
  readonly temp: string | null;
  /** Name beside the target that keeps the old content; null when none is needed. */
  readonly backup: string | null;
  tempMade: boolean;
  backupMade: boolean;
  isInstalled: boolean;
  /** The old file as it was last compared. */
  verified: FileFacts | null;
}

/** The mutations of the changed ones of `files`; a lone one needs no backup, because one rename is atomic by itself. */
export function mutationsOf(files: readonly StagedFile[]): Mutation[] {
  const changed = files.filter((file) => file.isChanged);
  return changed.map((file) => ({
    file,
    temp: file.exists ? hiddenName("patch") : null,
    backup: changed.length === 1 || file.baseline === null ? null : hiddenName("backup"),
    tempMade: false,
    backupMade: false,
    isInstalled: false,
    verified: null,
  }));
}

/** Security: not to be guessed by a command that would like to be there first. */
function hiddenName(kind: "patch" | "backup"): string {
  return `.vise-${kind}-${randomBytes(9).toString("base64url")}`;
}
