/** The marker lines of a patch, and what a line that is none was probably meant to be. */

/** First line of the envelope; compared after trimming. */
export const BEGIN = "*** Begin Patch";
/** Last line of the envelope; compared after trimming. */
export const END = "*** End Patch";
/** Starts the path of an added file. */
export const ADD = "*** Add File:";
/** Starts the path of a removed file. */
export const DELETE = "*** Delete File:";
/** Starts the path of a changed file. */
export const UPDATE = "*** Update File:";
/** Starts the new path of a changed file. */
export const MOVE = "*** Move to:";
/** Ends a hunk whose last line is the last one of the file. */
export const END_OF_FILE = "*** End of File";
/** All operations in one line, for error messages. */
export const FORM = `${BEGIN} / ${ADD} <path> / ${UPDATE} <path> / ${DELETE} <path> / ${END}`;

/** A marker that ends whatever operation came before it. */
export function isBoundary(line: string): boolean {
  return line.startsWith(ADD) || line.startsWith(DELETE) || line.startsWith(UPDATE) || line.trimEnd() === END ||
    line.trimEnd() === BEGIN;
}

/** What stands behind `marker`; null where the line does not start with it. */
export function after(line: string, marker: string): string | null {
  return line.startsWith(marker) ? line.slice(marker.length) : null;
}

/** The scope that a `@@` line names; empty for none, for positions and for an ellipsis. */
export function scopeOf(header: string): string {
  let scope = header.slice(2).trim();
  if (POSITIONS.test(scope)) return "";
  if (scope.endsWith("@@")) scope = scope.slice(0, -2).trim();
  return ELLIPSIS.test(scope) ? "" : scope;
}

/** The line as a JSON string for a message, cut at 80 UTF-16 units. */
export function quoted(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}

/** The marker that was probably meant. */
export function nearestForm(line: string): string {
  if (/^(?:--- |\+\+\+ |diff --git )/.test(line)) return `${UPDATE} <path>, in place of the names of a unified diff`;
  const words = line.toLowerCase();
  if (/\b(?:create|new|add|write)\b/.test(words)) return `${ADD} <path>`;
  if (/\b(?:remove|delete)\b/.test(words)) return `${DELETE} <path>`;
  if (/\b(?:move|rename)\b/.test(words)) return `${UPDATE} <old path>, and on the next line ${MOVE} <new path>`;
  if (/\b(?:update|modify|edit|change)\b/.test(words)) return `${UPDATE} <path>`;
  return line.startsWith("***") ? `${FORM}; a file line that starts with *** needs a leading " ", "-" or "+"` : FORM;
}

/** Old and new start of a unified diff: positions, which are never used as places. */
const POSITIONS = /^-\d+(?:,\d+)? \+\d+(?:,\d+)?(?: ?@@.*)?$/;
/** Written by models in place of a scope. */
const ELLIPSIS = /^(?:\.{2,}|…)$/;
