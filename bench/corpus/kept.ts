/** Corpora that take long to make are kept between runs. */

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Path of the corpus; made by `make` unless a whole one is there. The name changes when its content does. */
export async function keptCorpus(
  corpusDir: string,
  name: string,
  make: (path: string) => void | Promise<void>,
): Promise<string> {
  const path = join(corpusDir, name);
  const mark = `${path}.complete`;
  if (existsSync(mark) && existsSync(path)) return path;
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  await make(path);
  writeFileSync(mark, "");
  return path;
}
