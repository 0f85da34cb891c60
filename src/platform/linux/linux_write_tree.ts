/** The Linux way to change files: everything relative to a directory descriptor opened by openat2(2) (O-25). */

import { pathToBytes } from "../../base/path_text.ts";
import { pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../errno.ts";
import type { FileFacts } from "../file_facts.ts";
import type { BeforeStep, NewFile, ReadFile, WriteDirectory, WriteStep, WriteTree } from "../write_tree.ts";
import * as calls from "./write_calls.ts";
import { O_CREAT, O_DIRECTORY, O_EXCL, O_NONBLOCK, O_RDONLY, O_WRONLY } from "./open_flags.ts";

/** Opens the tree; null where the calls are not available (no FFI, or not Linux). */
export function openLinuxWriteTree(root: string, beforeStep: BeforeStep): WriteTree | null {
  if (!calls.canCall()) return null;
  return new LinuxWriteTree(root, beforeStep);
}

class LinuxWriteTree implements WriteTree {
  readonly root: string;
  readonly isRaceFree = true;
  readonly #beforeStep: BeforeStep;
  readonly #rootFd: number;

  constructor(root: string, beforeStep: BeforeStep) {
    this.root = root;
    this.#beforeStep = beforeStep;
    this.#rootFd = at("open", root, () => calls.openAbsolute(cName(root), O_DIRECTORY));
  }

  openDirectory(path: string): WriteDirectory {
    this.#beforeStep("open", path);
    const fd = at("open", path, () => calls.openBeneath(this.#rootFd, cName(path), O_DIRECTORY));
    return new LinuxWriteDirectory(path, fd, this.#beforeStep);
  }

  close(): void {
    calls.closeDescriptor(this.#rootFd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

class LinuxWriteDirectory implements WriteDirectory {
  readonly path: string;
  readonly #fd: number;
  readonly #beforeStep: BeforeStep;

  constructor(path: string, fd: number, beforeStep: BeforeStep) {
    this.path = path;
    this.#fd = fd;
    this.#beforeStep = beforeStep;
  }

  facts(name: string): FileFacts | null {
    return at("stat", this.#full(name), () => calls.factsOfName(this.#fd, cName(name)));
  }

  async read(name: string, options: { readonly limitBytes: number }): Promise<ReadFile> {
    const path = this.#full(name);
    const before = this.facts(name);
    if (before === null) throw new SystemError("ENOENT", "open", path);
    // Security: a FIFO or device is never opened, because opening alone may block or act (O-25).
    if (before.kind !== "file") throw new SystemError("EINVAL", "open", path);
    const fd = at("open", path, () => calls.openName(this.#fd, cName(name), O_RDONLY | O_NONBLOCK));
    try {
      return await atAsync("read", path, () => readOpen(fd, options.limitBytes));
    } finally {
      calls.closeDescriptor(fd);
    }
  }

  async create(name: string, file: NewFile): Promise<readonly string[]> {
    const path = this.#full(name);
    const fd = this.#step("create", path, () => {
      return calls.openName(this.#fd, cName(name), O_WRONLY | O_CREAT | O_EXCL);
    });
    try {
      const lost = await this.#fill(fd, path, file);
      calls.closeDescriptor(fd);
      return lost;
    } catch (fault) {
      calls.closeDescriptor(fd);
      throw fault;
    }
  }

  link(name: string, second: string): void {
    this.#step("link", this.#full(second), () => calls.linkName(this.#fd, cName(name), cName(second)));
  }

  rename(from: string, to: string, options?: { readonly mustBeNew: boolean }): void {
    const flags = options?.mustBeNew === true ? calls.RENAME_NOREPLACE : 0;
    this.#step("rename", this.#full(to), () => {
      try {
        calls.renameName(this.#fd, cName(from), cName(to), flags);
      } catch (fault) {
        // Some file systems know no flags (renameat2(2)); then the check just before has to do.
        if (flags === 0 || !(fault instanceof SystemError) || fault.errno !== "EINVAL") throw fault;
        if (calls.factsOfName(this.#fd, cName(to)) !== null) throw new SystemError("EEXIST", "", "");
        calls.renameName(this.#fd, cName(from), cName(to), 0);
      }
    });
  }

  unlink(name: string): void {
    this.#step("unlink", this.#full(name), () => calls.unlinkName(this.#fd, cName(name)));
  }

  makeDirectory(name: string): void {
    this.#step("mkdir", this.#full(name), () => calls.makeDirectoryAt(this.#fd, cName(name)));
  }

  removeDirectory(name: string): void {
    this.#step("rmdir", this.#full(name), () => calls.removeDirectoryAt(this.#fd, cName(name)));
  }

  async sync(): Promise<void> {
    this.#beforeStep("fsync_directory", this.path);
    await atAsync("fsync_directory", this.path, () => calls.syncDescriptor(this.#fd));
  }

  close(): void {
    calls.closeDescriptor(this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #fill(fd: number, path: string, file: NewFile): Promise<string[]> {
    this.#beforeStep("write", path);
    await atAsync("write", path, () => calls.writeAll(fd, file.bytes));
    const lost: string[] = [];
    const owner = file.owner;
    // Owner before mode: a change of owner clears the set-user-id bits (chown(2)).
    if (
      owner !== null && isOther(calls.factsOfDescriptor(fd), owner) &&
      !this.#kept("chown", path, () => changeOwner(fd, owner))
    ) lost.push("owner");
    const isReplacing = owner !== null;
    if (isReplacing && !file.attributes.some((attribute) => attribute.name === ACCESS_LIST)) {
      // Security: the directory's default list would open the file to users who could not read the old one (acl(5)).
      calls.removeAttribute(fd, ACCESS_LIST);
    }
    for (const attribute of file.attributes) {
      if (!this.#kept("setxattr", path, () => calls.setAttribute(fd, attribute))) lost.push(attribute.name);
    }
    this.#step("chmod", path, () => calls.changeMode(fd, file.mode));
    this.#beforeStep("fsync", path);
    await atAsync("fsync", path, () => calls.syncDescriptor(fd));
    return lost;
  }

  /** Runs a step whose refusal is a loss to report and no failure. */
  #kept(step: WriteStep, path: string, run: () => void): boolean {
    try {
      this.#step(step, path, run);
      return true;
    } catch (fault) {
      if (fault instanceof SystemError && REFUSALS.has(fault.errno)) return false;
      throw fault;
    }
  }

  #step<T>(step: WriteStep, path: string, run: () => T): T {
    this.#beforeStep(step, path);
    return at(step, path, run);
  }

  #full(name: string): string {
    return pathIn(this.path, name);
  }
}

const ACCESS_LIST = "system.posix_acl_access";

/** What an ordinary user, or a file system without the feature, answers to chown and setxattr. */
const REFUSALS: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EOPNOTSUPP", "EINVAL", "ENOSYS"]);

function isOther(facts: FileFacts, owner: { readonly uid: number; readonly gid: number }): boolean {
  return facts.uid !== owner.uid || facts.gid !== owner.gid;
}

async function readOpen(fd: number, limitBytes: number): Promise<ReadFile> {
  const facts = calls.factsOfDescriptor(fd);
  if (facts.kind !== "file") throw new SystemError("EINVAL", "", "");
  if (facts.size > limitBytes) throw new SystemError("EFBIG", "", "");
  // One byte more than its size: a full buffer shows that the file grew meanwhile.
  const buffer = new Uint8Array(facts.size + 1);
  const count = await calls.readAll(fd, buffer);
  if (count > facts.size) throw new SystemError("EAGAIN", "", "");
  return { bytes: buffer.subarray(0, count), facts, attributes: calls.readAttributes(fd) };
}

/** Keeps owner and group where allowed; an ordinary user may still keep a group it belongs to (chown(2)). */
function changeOwner(fd: number, owner: { readonly uid: number; readonly gid: number }): void {
  try {
    calls.changeOwner(fd, owner.uid, owner.gid);
  } catch (fault) {
    if (fault instanceof SystemError && fault.errno === "EPERM") {
      try {
        calls.changeOwner(fd, 0xffff_ffff, owner.gid);
      } catch {
        // The first refusal is the one that is reported.
      }
    }
    throw fault;
  }
}

function cName(path: string): Uint8Array<ArrayBuffer> {
  const bytes = pathToBytes(path);
  const terminated = new Uint8Array(bytes.length + 1);
  terminated.set(bytes);
  return terminated;
}

function at<T>(step: string, path: string, run: () => T): T {
  try {
    return run();
  } catch (fault) {
    throw named(fault, step, path);
  }
}

async function atAsync<T>(step: string, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (fault) {
    throw named(fault, step, path);
  }
}

function named(fault: unknown, step: string, path: string): unknown {
  return fault instanceof SystemError && fault.path === "" ? new SystemError(fault.errno, step, path) : fault;
}
