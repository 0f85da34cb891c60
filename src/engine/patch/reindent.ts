/**
 * The indentation grade (O-27): a hunk whose lines are right but whose indentation is not, such as two spaces for four,
 * or spaces for tabs.
 *
 * The indentations of the patch map one-to-one to those of the file; added lines go through the same mapping, and depths
 * that the hunk does not show are reckoned by the ratio of the units.
 */

import { indentColumns, indentLength, indentOf, isBlank } from "./whitespace.ts";

/** How indentations of a hunk become those of the file. */
export interface IndentMapping {
  /** Patch indentation → file indentation, from the lines that both have. */
  readonly known: ReadonlyMap<string, string>;
}

/**
 * Mapping between the hunk's old lines and the file's lines at a place where they are equal but for indentation; null
 * when it is not one-to-one, or turns deeper into shallower.
 */
export function mapIndents(
  patchLines: readonly string[],
  place: { readonly lines: readonly string[]; readonly start: number },
): IndentMapping | null {
  const known = new Map<string, string>();
  for (const [k, patchLine] of patchLines.entries()) {
    if (isBlank(patchLine)) continue;
    const from = indentOf(patchLine);
    const to = indentOf(place.lines[place.start + k] as string);
    if ((known.get(from) ?? to) !== to) return null;
    known.set(from, to);
  }
  return isMonotone(known) ? { known } : null;
}

/** Re-indents added lines. `patchLines` are all lines of the hunk. */
export class Reindenter {
  readonly #known: ReadonlyMap<string, string>;
  readonly #patchUnit: number;
  readonly #fileUnit: string;

  /** `fileUnit` gives what one level of the file is made of; asked only where the hunk does not show it. */
  constructor(
    mapping: IndentMapping,
    options: { readonly patchLines: readonly string[]; readonly fileUnit: () => string },
  ) {
    this.#known = mapping.known;
    const shown = unitsOf(mapping.known);
    this.#fileUnit = shown?.fileUnit ?? options.fileUnit();
    this.#patchUnit = shown?.patchUnit ?? unitOfOtherSigns(mapping.known, this.#fileUnit) ??
      smallestStep(options.patchLines);
  }

  apply(line: string): string {
    if (isBlank(line)) return line;
    const indent = indentOf(line);
    return this.#indent(indent) + line.slice(indent.length);
  }

  #indent(indent: string): string {
    const exact = this.#known.get(indent);
    if (exact !== undefined) return exact;
    const columns = indentColumns(indent);
    const [from, to] = this.#nearestTo(columns);
    const difference = columns - indentColumns(from);
    const levels = Math.floor(difference / this.#patchUnit);
    const rest = difference - levels * this.#patchUnit;
    return (levels >= 0 ? to + this.#fileUnit.repeat(levels) : shallower(to, -levels, this.#fileUnit)) +
      this.#partOfUnit(rest);
  }

  /** The step that the hunk shows may be several levels deep; what is no even part of it is alignment and stays. */
  #partOfUnit(columns: number): string {
    const sign = this.#fileUnit.charAt(0);
    const length = columns * this.#fileUnit.length / this.#patchUnit;
    const isEven = Number.isInteger(length) && this.#fileUnit === sign.repeat(this.#fileUnit.length);
    return isEven ? sign.repeat(length) : " ".repeat(columns);
  }

  #nearestTo(columns: number): readonly [string, string] {
    let best: readonly [string, string] = ["", ""];
    let bestDistance = Infinity;
    for (const pair of this.#known) {
      const distance = Math.abs(indentColumns(pair[0]) - columns);
      if (distance < bestDistance) {
        best = pair;
        bestDistance = distance;
      }
    }
    return best;
  }
}

/** True if deeper stays deeper; so no two indentations become the same one either. */
function isMonotone(known: ReadonlyMap<string, string>): boolean {
  const pairs = [...known].map(([from, to]) => [indentColumns(from), indentColumns(to)] as const);
  pairs.sort((a, b) => a[0] - b[0]);
  return pairs.every((pair, i) => {
    const before = pairs[i - 1];
    return before === undefined || (pair[0] > before[0] && pair[1] > before[1]);
  });
}

/** One level on both sides, from the closest two depths that the hunk shows. */
function unitsOf(known: ReadonlyMap<string, string>): { patchUnit: number; fileUnit: string } | null {
  const pairs = [...known].sort((a, b) => indentColumns(a[0]) - indentColumns(b[0]));
  let best: { patchUnit: number; fileUnit: string } | null = null;
  for (let i = 1; i < pairs.length; i++) {
    const [lower, upper] = [pairs[i - 1], pairs[i]] as [[string, string], [string, string]];
    const patchUnit = indentColumns(upper[0]) - indentColumns(lower[0]);
    // Only a deeper indentation that goes on from the shallower one shows what a level is made of.
    if (!upper[1].startsWith(lower[1]) || (best !== null && best.patchUnit <= patchUnit)) continue;
    best = { patchUnit, fileUnit: upper[1].slice(lower[1].length) };
  }
  return best;
}

/**
 * Columns of a level where the only depth that the hunk shows is made of other signs than the file's: the patch is then
 * converted, not shifted, so that both sides have the same number of levels. Null otherwise.
 */
function unitOfOtherSigns(known: ReadonlyMap<string, string>, fileUnit: string): number | null {
  const [pair] = known;
  if (known.size !== 1 || pair === undefined || pair[0].charAt(0) === pair[1].charAt(0)) return null;
  const [from, to] = pair;
  const levels = to.length / fileUnit.length;
  const unit = indentColumns(from) / levels;
  return to === fileUnit.repeat(Math.trunc(levels)) && Number.isInteger(unit) && unit > 0 ? unit : null;
}

/** Smallest step between two indentations of the hunk, in columns; 4 when it shows only one depth. */
function smallestStep(patchLines: readonly string[]): number {
  const depths = [...new Set(patchLines.filter((line) => !isBlank(line)).map((line) => indentColumns(indentOf(line))))];
  depths.sort((a, b) => a - b);
  let step = Infinity;
  for (let i = 1; i < depths.length; i++) step = Math.min(step, (depths[i] as number) - (depths[i - 1] as number));
  return step === Infinity ? 4 : step;
}

/** What a level of the file is made of: the most frequent growth from one line to the next; 4 spaces if none grows. */
export function usualUnit(fileLines: readonly string[]): string {
  const counts = new Map<string, number>();
  let before = "";
  for (let i = 0; i < Math.min(fileLines.length, SAMPLE_LINES); i++) {
    const line = fileLines[i] as string;
    if (indentLength(line) === line.length) continue;
    const indent = indentOf(line);
    if (indent.length > before.length && indent.startsWith(before)) {
      const unit = indent.slice(before.length);
      counts.set(unit, (counts.get(unit) ?? 0) + 1);
    }
    before = indent;
  }
  const best = [...counts].sort((a, b) => b[1] - a[1])[0];
  return best?.[0] ?? "    ";
}

/** Lines that are enough to see how a file is indented. */
const SAMPLE_LINES = 5_000;

/** `indent` without as many characters as `levels` have, whatever they are. */
function shallower(indent: string, levels: number, unit: string): string {
  return indent.slice(0, Math.max(0, indent.length - levels * unit.length));
}
