/**
 * A few questions about the file system for the first answer of a server.
 *
 * They need none of the modules that tools load (`node:fs` alone costs a start about 20 ms). They follow no link and
 * give only names and facts: whoever wants the content of a file opens it through the workspace, which is race-free.
 */

/** What the first answer needs of an entry. */
export interface QuickFacts {
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970; 0 where the system does not say. */
  readonly modifiedMs: number;
}

/** An entry by name and kind; a link is not followed. */
export interface QuickEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "symlink" | "other";
}

/** The questions; a failure is an empty answer. */
export interface QuickFiles {
  /** Facts of what stands at an absolute path, a link itself; null when nothing is there or it may not be seen. */
  facts(path: string): QuickFacts | null;
  /** Entries of a directory in no particular order; empty when it may not be read. */
  entries(path: string): QuickEntry[];
  /** Names in a directory in no particular order; null when it may not be listed. */
  names(path: string): string[] | null;
}

/** The answers of the runtime. */
export const QUICK_FILES: QuickFiles = {
  facts(path) {
    try {
      const { size, mtime, ...info } = Deno.lstatSync(path);
      return { kind: kindOf(info), size, modifiedMs: mtime?.getTime() ?? 0 };
    } catch {
      // Not there, or not to be seen: for a first look both mean that there is nothing to show.
      return null;
    }
  },
  entries(path) {
    try {
      return Array.from(Deno.readDirSync(path), (entry) => ({ name: entry.name, kind: kindOf(entry) }));
    } catch {
      // Vanished or forbidden since its parent was read.
      return [];
    }
  },
  names(path) {
    try {
      return Array.from(Deno.readDirSync(path), ({ name }) => name);
    } catch {
      // A directory may allow looking at what is in it without allowing to list it.
      return null;
    }
  },
};

function kindOf(info: { isFile: boolean; isDirectory: boolean; isSymlink: boolean }): QuickEntry["kind"] {
  if (info.isSymlink) return "symlink";
  if (info.isDirectory) return "directory";
  return info.isFile ? "file" : "other";
}
