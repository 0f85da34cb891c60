/** Which of a few names a directory holds, asked again only when the directory has changed. */

import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";

/** Time stamps of files step by up to 10 ms; a directory that changed this shortly before a look may change again unseen. */
const UNSETTLED_MS = 100;

interface Known {
  readonly signature: string;
  readonly names: readonly string[];
  /** False while a change could still carry the same time stamp. */
  readonly isSettled: boolean;
}

/** Costs one lstat(2) per directory as long as it does not change. */
export class NamePresence {
  readonly #known = new Map<string, Known>();

  /** The entries of `names` that `directory` holds, links that lead nowhere included. Empty when there is no such directory. */
  among(directory: string, names: readonly string[]): readonly string[] {
    const stats = lstatSync(directory, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    const signature = `${stats.ino} ${stats.mtimeMs} ${stats.ctimeMs}`;
    const known = this.#known.get(directory);
    if (known !== undefined && known.isSettled && known.signature === signature) return known.names;
    const present = names.filter((name) => lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined);
    this.#known.set(directory, { signature, names: present, isSettled: isOld(stats) });
    return present;
  }
}

function isOld({ mtimeMs, ctimeMs }: Stats): boolean {
  return Date.now() - Math.max(mtimeMs, ctimeMs) > UNSETTLED_MS;
}
