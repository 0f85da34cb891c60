/** Keeps a directory of coverage profiles small while tests write into it. */

import { readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";

/** What V8 writes for each script (Chrome DevTools Protocol, "Profiler.ScriptCoverage"). */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** A file younger than this may still be written. */
const SETTLED_MS = 1_000;
/** Pause between two passes. */
const THINNING_MS = 1_500;

/**
 * Removes profiles of scripts outside `directoryUrl`, and profiles that reach exactly what an earlier one reached: each
 * of some thousand server processes leaves a file for each of its modules, and how often a line ran is not asked.
 */
export class ProfileThinner {
  readonly #directory: string;
  readonly #prefix: string;
  readonly #known = new Set<string>();
  readonly #kept = new Set<string>();
  /** Profiles seen so far, the removed ones included. */
  seen = 0;

  constructor(directory: string, directoryUrl: string) {
    this.#directory = directory;
    this.#prefix = directoryUrl;
  }

  /** Thins again and again until `until` settles, and once more after it. */
  async during(until: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = until.finally(() => isOver = true);
    while (!isOver) {
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, THINNING_MS))]);
      this.thin(SETTLED_MS);
    }
    await over;
    this.thin(0);
  }

  /** One pass over profiles that were last written `settledMs` ago or earlier. */
  thin(settledMs: number): void {
    for (const name of readdirSync(this.#directory)) {
      if (this.#kept.has(name) || !name.endsWith(".json")) continue;
      const path = join(this.#directory, name);
      if (Date.now() - statSync(path).mtimeMs < settledMs) continue;
      this.seen++;
      const key = this.#keyOf(readFileSync(path, "utf8"));
      if (key === null || this.#known.has(key)) unlinkSync(path);
      else {
        this.#known.add(key);
        this.#kept.add(name);
      }
    }
  }

  /** What of which script was reached; null for one that does not count, or whose process was killed while it wrote. */
  #keyOf(text: string): string | null {
    let script: ScriptCoverage;
    try {
      script = JSON.parse(text);
    } catch {
      return null;
    }
    if (!script.url.startsWith(this.#prefix) || script.url.endsWith("_test.ts")) return null;
    const ranges = script.functions.flatMap(({ ranges }) =>
      ranges.map(({ startOffset, endOffset, count }) => `${startOffset}-${endOffset}${count > 0 ? "+" : ""}`)
    );
    return `${script.url} ${ranges.join()}`;
  }
}
