/** What the system knows of one file system object. */

/** The kinds that st_mode tells apart (inode(7)). */
export type EntryKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

/** What stat(2) says; a symlink is described itself. */
export interface FileFacts {
  readonly kind: EntryKind;
  /** Bytes. */
  readonly size: number;
  /** The twelve permission bits (07777). */
  readonly mode: number;
  /** Device and inode together name the object as long as it exists. */
  readonly dev: number;
  readonly ino: bigint;
  /** Names of the object (hard links). */
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  /** Last change of the content, nanoseconds since 1970. */
  readonly modifiedNs: bigint;
  /** Last change of content or attributes, nanoseconds since 1970. */
  readonly changedNs: bigint;
}

/** Kind by the type bits of a mode (inode(7)). */
export function kindOfMode(mode: number): EntryKind {
  return KIND_BY_TYPE[(mode & 0o170000) >> 12] ?? "device";
}

/** Kind by the `d_type` of a directory entry (readdir(3)); null where the file system does not say. */
export function kindOfDirectoryType(type: number): EntryKind | null {
  return KIND_BY_TYPE[type] ?? null;
}

/** Words for people: "a FIFO", "a socket" and so on. */
export function describeKind(kind: EntryKind): string {
  return KIND_WORDS[kind];
}

/** True if both describe the same object. */
export function isSameObject(a: Pick<FileFacts, "dev" | "ino">, b: Pick<FileFacts, "dev" | "ino">): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** `S_IFMT >> 12`, which is also `DT_*`. */
const KIND_BY_TYPE: Readonly<Record<number, EntryKind>> = {
  1: "fifo",
  2: "device",
  4: "directory",
  6: "device",
  8: "file",
  10: "symlink",
  12: "socket",
};

const KIND_WORDS: Readonly<Record<EntryKind, string>> = {
  file: "a file",
  directory: "a directory",
  symlink: "a symbolic link",
  fifo: "a FIFO (named pipe)",
  socket: "a socket",
  device: "a device",
};
