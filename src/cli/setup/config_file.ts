/** Reads and replaces one configuration file of a client, and never more than that. */

import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "../../config/setting.ts";

/** Configuration files are small; a larger one is something else. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The file as it was read; what is not named here is kept as it is. */
export interface ConfigFile {
  /** Absolute path. */
  readonly path: string;
  /** null: there is no file. */
  readonly text: string | null;
  /** Byte order mark at the beginning; kept when the file is written. */
  readonly mark: string;
  /** Permission bits and owner of the file; null: it is new, and the system decides. */
  readonly owned: { readonly mode: number; readonly uid: number; readonly gid: number } | null;
}

/**
 * Reads the file, or says that there is none.
 *
 * @throws ConfigError for a link, for what is no file, and beyond `MAX_BYTES`
 */
export function readConfigFile(path: string): ConfigFile {
  const facts = factsOf(path);
  if (facts === null) return { path, text: null, mark: "", owned: null };
  if (facts.isSymbolicLink()) {
    // Security: a link in a project may lead to any file of the user, so the person has to name its target.
    throw new ConfigError(
      `${path} is a symbolic link to ${readlinkSync(path)}; to change that file name it with --file`,
    );
  }
  if (!facts.isFile()) throw new ConfigError(`${path} is not a regular file`);
  if (facts.size > MAX_BYTES) {
    throw new ConfigError(`${path} is larger than a configuration can be (${facts.size} bytes)`);
  }
  const whole = decode(path, reading(path, () => readFileSync(path)));
  const mark = whole.startsWith("\ufeff") ? "\ufeff" : "";
  return {
    path,
    text: whole.slice(mark.length),
    mark,
    owned: { mode: facts.mode & 0o777, uid: facts.uid, gid: facts.gid },
  };
}

/** Puts a whole new file in the place of the one that was read. @throws ConfigError when it changed meanwhile or cannot be written */
export function replaceConfigFile(file: ConfigFile, text: string): void {
  const { path, mark, owned } = file;
  const temporary = `${path}.vise-${process.pid}.tmp`;
  reading(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    try {
      writeNew(temporary, mark + text, owned);
      if (!sameFile(file)) throw new ConfigError(`${path} was changed by another program just now; run this again`);
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

/** Writes a copy of what was read, never over an existing file unless `replace`. */
export function writeBackup(file: ConfigFile, { path, replace }: { path: string; replace: boolean }): void {
  if (!replace && existsSync(path)) return;
  reading(path, () => {
    rmSync(path, { force: true });
    writeNew(path, file.mark + (file.text ?? ""), file.owned);
  });
}

/** Removes the file if it is there. @throws ConfigError when the system refuses */
export function removeFile(path: string): void {
  reading(path, () => rmSync(path, { force: true }));
}

/** First directory or file below `base` on the way to `path` that is a symbolic link; null: none. */
export function linkOnTheWay(base: string, path: string): string | null {
  let link: string | null = null;
  for (let at = dirname(path); at.length > base.length && at.startsWith(base); at = dirname(at)) {
    if (factsOf(at)?.isSymbolicLink()) link = at;
  }
  return link;
}

function factsOf(path: string): Stats | null {
  return reading(path, () => lstatSync(path, { throwIfNoEntry: false })) ?? null;
}

function sameFile(file: ConfigFile): boolean {
  const now = readConfigFile(file.path);
  return now.text === file.text && now.mark === file.mark;
}

/** `wx`: a name that is there already, a link included, is never written to. */
function writeNew(path: string, text: string, owned: ConfigFile["owned"]): void {
  const descriptor = openSync(path, "wx", owned?.mode ?? 0o666);
  try {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (owned === null) return;
  const { uid, gid } = lstatSync(path);
  // A file of another user (under sudo) stays theirs; where it cannot, the whole write fails before anything was replaced.
  if (uid !== owned.uid || gid !== owned.gid) chownSync(path, owned.uid, owned.gid);
  chmodSync(path, owned.mode);
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${path} is not UTF-8 text; it was left as it is`);
  }
}

function reading<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (fault) {
    if (fault instanceof ConfigError) throw fault;
    throw new ConfigError(`cannot use ${path}: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}
