/** Deletes a directory tree that commands have filled. */

import { chmodSync, type Dirent, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes `path` without following links; read-only directories (Go's module cache) are made writable first. Never throws. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
    return;
  } catch {
    // A directory without write permission keeps its entries: the second try below opens it up.
  }
  try {
    openUp(path);
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Something in it still runs and creates files, or belongs to another user: the next server start tries again.
  }
}

/** As `removeTree`, without blocking: a cache that a killed server left may hold a hundred thousand files. */
export async function removeTreeLater(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // As above: opened up, then removed in one go.
    removeTree(path);
  }
}

function openUp(directory: string): void {
  chmodSync(directory, 0o700);
  let entries: Dirent[];
  try {
    entries = readdirSync(directory, { withFileTypes: true });
  } catch {
    // Vanished meanwhile.
    return;
  }
  // Security: `isDirectory` is false for a link, so nothing outside the tree is touched.
  for (const entry of entries) if (entry.isDirectory()) openUp(join(directory, entry.name));
}
