/** The checks on a path argument that need no disk (contract 1.9). */

import { displayPath } from "../../base/path_text.ts";
import { ToolError } from "../../base/tool_error.ts";
import { utf8Length } from "../../base/utf8.ts";

/** What a spelling may stand for. */
export interface SpellingOptions {
  /** An empty path stands for the root: for arguments that default to it. */
  readonly emptyIsRoot?: boolean;
  /** Absolute root: a path that spells it out is refused with the part behind it. */
  readonly root?: string;
}

/**
 * The path without `.` components, doubled and trailing slashes; `.` for the root.
 *
 * @throws ToolError INVALID_ARGUMENT, ABSOLUTE_PATH_DENIED, PATH_OUTSIDE_WORKSPACE
 */
export function parseSpelling(spelled: string, options: SpellingOptions = {}): string {
  if (spelled === "" && options.emptyIsRoot === true) return ".";
  if (spelled === "") {
    throw invalid(spelled, "Cannot use an empty path: name a file or directory relative to the workspace root");
  }
  if (spelled.includes("\0")) throw invalid(spelled, "Cannot use the path: it holds a NUL character");
  if (isTooLong(spelled)) throw invalid(spelled, `Cannot use ${shown(spelled)}: the path is too long`);
  if (!spelled.isWellFormed()) {
    throw invalid(spelled, "Cannot use the path: it holds half of a surrogate pair, which is no character");
  }
  if (spelled.startsWith("/") || DRIVE_PREFIX.test(spelled)) {
    throw new ToolError("ABSOLUTE_PATH_DENIED", `Cannot use the absolute path ${shown(spelled)}: ${RELATIVE_RULE}`, {
      details: { path: spelled, retry_hint: relativeHint(spelled, options.root) },
    });
  }
  const names = spelled.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) {
    throw new ToolError("PATH_OUTSIDE_WORKSPACE", `Cannot use ${shown(spelled)}: ".." is not allowed in paths`, {
      details: { path: spelled, retry_hint: "Spell the path from the workspace root, without '..'." },
    });
  }
  return names.length === 0 ? "." : names.join("/");
}

/** A path as messages show it: bounded, on one line. */
export function shown(spelled: string): string {
  return displayPath(spelled.length > SHOWN_UNITS ? `${spelled.slice(0, SHOWN_UNITS)}…` : spelled);
}

function relativeHint(spelled: string, root: string | undefined): string {
  if (root !== undefined && (spelled === root || spelled.startsWith(`${root}/`))) {
    return `Pass ${JSON.stringify(spelled.slice(root.length + 1) || ".")}.`;
  }
  return "Pass the part after the workspace root, for example src/main.ts.";
}

/** PATH_MAX of Linux: no system call takes a longer one (limits.h). */
const MAX_BYTES = 4_096;
/** UTF-8 bytes of one UTF-16 unit. */
const MOST_BYTES_A_UNIT = 3;

function isTooLong(spelled: string): boolean {
  if (spelled.length * MOST_BYTES_A_UNIT <= MAX_BYTES) return false;
  // A name that is not UTF-8 has its bytes escaped, four characters each.
  return utf8Length(spelled.replace(/\\x[0-9a-f]{2}/g, "x")) > MAX_BYTES;
}

const RELATIVE_RULE = "paths are relative to the workspace root";
const DRIVE_PREFIX = /^[A-Za-z]:[\\/]/;
/** Enough to recognize a path; a message is no place for a page of text. */
const SHOWN_UNITS = 300;

function invalid(path: string, message: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", message, {
    details: { argument: "path", path: path.slice(0, SHOWN_UNITS) },
  });
}
