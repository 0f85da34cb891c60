/** Checks revisions before git sees them (contract 3.13, O-46; gitrevisions(7)). */

import { ToolError } from "../../base/tool_error.ts";

/**
 * Returns `revision` when it can only be read as a revision.
 *
 * Spaces are allowed where gitrevisions(7) has them: in `@{…}`, `^{/…}`, `:/…` and the path after a colon.
 * @throws ToolError INVALID_ARGUMENT naming `argument`
 */
export function checkRevision(revision: string, argument: string): string {
  const fault = faultOf(revision);
  if (fault === null) return revision;
  throw new ToolError("INVALID_ARGUMENT", `Cannot use ${argument} ${JSON.stringify(revision)}: ${fault}`, {
    details: { argument, received: revision, retry_hint: "Pass one commit, branch, tag or expression such as HEAD~2." },
  });
}

function faultOf(revision: string): string | null {
  if (revision.trim() === "") return "it is empty";
  // Security: git would read it as an option, `--output=file` for one writes a file.
  if (revision.startsWith("-")) return "a revision does not start with -";
  if (/[\0\r\n]/.test(revision)) return "it holds a NUL or a line break";
  const plain = revision.replace(/\{[^}]*\}/g, "").replace(/:.*$/, "");
  return /\s/.test(plain) ? "it holds a space, but takes one revision" : null;
}

/** Parts of `rev:path`. */
export interface PathRevision {
  /** Before the colon, colon included: `HEAD:`, `:`, `:2:`. */
  readonly tree: string;
  readonly path: string;
}

/** Splits `rev:path`, `:path` and `:n:path`; null for every other revision (`:/text` and `^{/a:b}` included). */
export function splitPathRevision(revision: string): PathRevision | null {
  if (revision.startsWith(":/")) return null;
  const stage = /^:[0-3]:/.exec(revision)?.[0];
  if (stage !== undefined) return { tree: stage, path: revision.slice(stage.length) };
  let depth = 0;
  for (let at = 0; at < revision.length; at++) {
    const unit = revision[at];
    if (unit === "{") depth++;
    if (unit === "}") depth--;
    if (unit === ":" && depth === 0) return { tree: revision.slice(0, at + 1), path: revision.slice(at + 1) };
  }
  return null;
}
