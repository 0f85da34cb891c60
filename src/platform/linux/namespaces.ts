/** Namespaces that commands join: made once per set of writable places, kept open by their descriptors (namespaces(7)). */

import { isShortage, SystemError } from "../errno.ts";
import type { InheritedDescriptor } from "../launch.ts";
import { type NamespaceOptions, namespaceProgram } from "./namespace_program.ts";
import { closeDescriptor, openDescriptor } from "./descriptors.ts";
import { runTrampoline } from "./run_trampoline.ts";
import type { Trampoline } from "./trampoline.ts";
import {
  IPC_NAMESPACE_DESCRIPTOR,
  MOUNT_NAMESPACE_DESCRIPTOR,
  NETWORK_NAMESPACE_DESCRIPTOR,
  type TrampolineProgram,
  USER_NAMESPACE_DESCRIPTOR,
} from "./trampoline_program.ts";
import { identityOf } from "../system_file.ts";
import { ownUser } from "../own_user.ts";

/** The namespaces a command may join; `mount` is what makes attributes read-only. */
export type NamespaceKind = "user" | "ipc" | "mount" | "network";

/** What a command is to be shut off from. */
export interface NamespaceRequest {
  /** A private network with its own loopback. */
  readonly network: boolean;
  /** Places that stay writable where all else becomes read-only; null: leave mounts alone. */
  readonly writable: readonly string[] | null;
}

/** Namespaces in use; the descriptors are valid until `release`. */
export interface HeldNamespaces {
  readonly join: readonly NamespaceKind[];
  readonly inherit: readonly InheritedDescriptor[];
  readonly release: () => void;
}

const TARGETS = {
  user: { file: "user", descriptor: USER_NAMESPACE_DESCRIPTOR },
  ipc: { file: "ipc", descriptor: IPC_NAMESPACE_DESCRIPTOR },
  mount: { file: "mnt", descriptor: MOUNT_NAMESPACE_DESCRIPTOR },
  network: { file: "net", descriptor: NETWORK_NAMESPACE_DESCRIPTOR },
} as const;

/** Different sets of one run: the network alone, and one for each set of writable places. */
const MAX_KEPT = 4;

interface Entry {
  readonly descriptors: ReadonlyMap<NamespaceKind, number>;
  readonly identities: string;
  users: number;
  retired: boolean;
}

/** Makes and keeps them; what is taken is given back by its holder. */
export class Namespaces {
  readonly #keep: (program: TrampolineProgram) => { trampoline: Trampoline; close: () => void };
  readonly #entries = new Map<string, Entry>();
  readonly #refused = new Map<string, SystemError>();

  /** `keep` makes a program executable. */
  constructor(keep: (program: TrampolineProgram) => { trampoline: Trampoline; close: () => void }) {
    this.#keep = keep;
  }

  /** Namespaces of `request`, or why this host does not permit them; a refusal is remembered. */
  take(request: NamespaceRequest): HeldNamespaces | SystemError {
    const key = JSON.stringify(request);
    const known = this.#refused.get(key);
    if (known !== undefined) return known;
    const identities = (request.writable ?? []).map(identityOf).join(" ");
    let entry = this.#entries.get(key);
    if (entry !== undefined && entry.identities !== identities) {
      // A writable place was removed and made anew: the copy in the old namespace is the removed one.
      this.#retire(key, entry);
      entry = undefined;
    }
    if (entry === undefined) {
      const made = this.#make(request);
      if (made instanceof SystemError) {
        if (!isShortage(made.errno)) this.#refused.set(key, made);
        return made;
      }
      entry = { descriptors: made, identities, users: 0, retired: false };
      this.#entries.set(key, entry);
      for (const [old, kept] of [...this.#entries].slice(0, Math.max(0, this.#entries.size - MAX_KEPT))) {
        this.#retire(old, kept);
      }
    }
    return hold(entry);
  }

  close(): void {
    for (const [key, entry] of [...this.#entries]) this.#retire(key, entry);
  }

  /** First with the rights of this process, then in a user namespace of its own. */
  #make(request: NamespaceRequest): ReadonlyMap<NamespaceKind, number> | SystemError {
    const { network, writable } = request;
    const plain = this.#tryMake({ user: null, network, writable });
    const user = ownUser();
    if (!(plain instanceof SystemError) || user === null) return plain;
    return this.#tryMake({ user, network, writable });
  }

  #tryMake(options: NamespaceOptions): ReadonlyMap<NamespaceKind, number> | SystemError {
    const { trampoline, close } = this.#keep(namespaceProgram(options));
    const descriptors = new Map<NamespaceKind, number>();
    try {
      const report = runTrampoline(trampoline, {
        inherit: [],
        whileAlive(pid, report) {
          if (report?.errno !== 0) return;
          for (const kind of kindsOf(options)) {
            descriptors.set(kind, openDescriptor(`/proc/${pid}/ns/${TARGETS[kind].file}`));
          }
        },
      });
      if (report === null) throw new SystemError("EIO", "unshare", "no answer");
      if (report.errno !== 0) throw new SystemError(report.errno, "unshare", kindsOf(options).join(", "));
      return descriptors;
    } catch (fault) {
      for (const descriptor of descriptors.values()) closeDescriptor(descriptor);
      return fault instanceof SystemError ? fault : new SystemError("EIO", "open", "namespace of the holder");
    } finally {
      close();
    }
  }

  #retire(key: string, entry: Entry): void {
    this.#entries.delete(key);
    entry.retired = true;
    if (entry.users === 0) closeAll(entry);
  }
}

function hold(entry: Entry): HeldNamespaces {
  entry.users += 1;
  let held = true;
  return {
    join: [...entry.descriptors.keys()],
    inherit: [...entry.descriptors].map(([kind, from]) => ({ from, to: TARGETS[kind].descriptor })),
    release() {
      if (!held) return;
      held = false;
      entry.users -= 1;
      if (entry.retired && entry.users === 0) closeAll(entry);
    },
  };
}

function closeAll(entry: Entry): void {
  for (const descriptor of entry.descriptors.values()) closeDescriptor(descriptor);
}

/** In the order in which they must be joined. */
function kindsOf(options: NamespaceOptions): NamespaceKind[] {
  const kinds: NamespaceKind[] = [];
  if (options.user !== null) kinds.push("user");
  kinds.push("ipc");
  if (options.writable !== null) kinds.push("mount");
  if (options.network) kinds.push("network");
  return kinds;
}
