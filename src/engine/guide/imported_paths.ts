/** Finds `@path` lines, by which an instruction file names others to read (contract 9). */

/** References kept of one file. */
const MAX_REFERENCES = 32;

/**
 * Paths that the text refers to as `@path`, as written, each once; code spans and fences are skipped.
 *
 * They are named as further reading and never followed here, so a file that names itself does no harm.
 */
export function importedPaths(text: string): string[] {
  const found = new Set<string>();
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
      continue;
    }
    if (fence !== null) continue;
    for (const [, path] of line.replace(/`[^`]*`/g, "").matchAll(REFERENCE)) {
      found.add((path as string).replace(/[.,;:!?]+$/, ""));
      if (found.size >= MAX_REFERENCES) return [...found];
    }
  }
  return [...found];
}

/** `@` at the start of a word, followed by what looks like a file: a slash or a dot in it. */
const REFERENCE = /(?:^|[\s([])@((?:[^\s@`()[\]]*[/.])[^\s@`()[\]]+)/g;
