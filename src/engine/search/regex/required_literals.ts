/**
 * Texts of which at least one must be in every line that a pattern matches.
 *
 * A line without any of them needs no closer look, and a scan for a few literals costs a tenth of an automaton's.
 */

import { encodeUtf8 } from "../../../base/utf8.ts";
import { type CodePoints, KELVIN_SIGN, LONG_S, sizeOf } from "./code_points.ts";
import type { Node } from "./syntax_tree.ts";

/** Bytes to look for; where `isFolded[i]`, an ASCII letter stands for both its cases. */
export interface Needle {
  readonly bytes: Uint8Array;
  readonly isFolded: readonly boolean[];
}

/** The needles, and how much they say by themselves. */
export interface RequiredLiterals {
  readonly needles: readonly Needle[];
  /** True when a needle's presence is a match, and the first one's place is where the leftmost match starts. */
  readonly isWhole: boolean;
  /** True when U+212A or U+017F may stand for a `k` or `s` of a needle: a text that holds one needs the automaton. */
  readonly hasFoldedOutsiders: boolean;
}

/** The best such texts of `node`; null when it requires none that are worth looking for. */
export function requiredLiterals(node: Node): RequiredLiterals | null {
  const { exact, best } = analyse(node);
  const chosen = better(exact, best);
  if (chosen === null || chosen.length === 0 || chosen.some((text) => text.length === 0)) return null;
  const needles = chosen.map(needleOf);
  const isWhole = chosen === exact && isWorthWhole(needles);
  if (!isWhole && !isWorth(needles)) return null;
  return { needles, isWhole, hasFoldedOutsiders: chosen.some((text) => text.some((unit) => unit.hasOutsider)) };
}

/** More alternatives would make the scan slower than the automaton. */
const MAX_NEEDLES = 8;
/** Bytes of one needle that the kernel compares; the rest of a longer one is left to the automaton. */
const MAX_NEEDLE_BYTES = 255;

/** One character of a literal. */
interface Unit {
  readonly point: number;
  readonly isFolded: boolean;
  readonly hasOutsider: boolean;
}

type Text = readonly Unit[];

interface Analysis {
  /** All texts that the node matches, when they are few; null otherwise. */
  readonly exact: readonly Text[] | null;
  /** Texts of which one is in every match. */
  readonly best: readonly Text[] | null;
}

const NOTHING: Analysis = { exact: null, best: null };
const EMPTY: Analysis = { exact: [[]], best: null };
/** Characters of an exact text, at most 4 bytes each; longer ones are cut into required ones. */
const MAX_EXACT_UNITS = 63;

function analyse(node: Node): Analysis {
  switch (node.kind) {
    case "empty":
      return EMPTY;
    case "assert":
      // It narrows where the text may stand, so what follows is required but no longer all that is asked.
      return NOTHING;
    case "set":
      return analyseSet(node.points);
    case "sequence":
      return analyseSequence(node.parts);
    case "choice":
      return analyseChoice(node.parts);
    case "repeat": {
      if (node.min === 0) return NOTHING;
      const part = analyse(node.part);
      if (node.max === 1) return part;
      // The repetitions one after another, as far as they are certain.
      if (node.min > 1 && node.min <= 8) {
        const required = analyseSequence(Array.from({ length: node.min }, () => node.part));
        return node.max === node.min ? required : { exact: null, best: better(required.exact, required.best) };
      }
      return { exact: null, best: better(part.exact, part.best) };
    }
  }
}

function analyseSet(points: CodePoints): Analysis {
  const folded = foldedUnit(points);
  if (folded !== null) return { exact: [[folded]], best: null };
  if (points.length === 0 || sizeOf(points) > 4) return NOTHING;
  const texts: Text[] = [];
  for (let at = 0; at < points.length; at += 2) {
    for (let point = points[at] as number; point <= (points[at + 1] as number); point++) texts.push([plainUnit(point)]);
  }
  return { exact: texts, best: null };
}

function plainUnit(point: number): Unit {
  return { point, isFolded: false, hasOutsider: false };
}

/** A single character, or the two cases of an ASCII letter with or without its partner outside ASCII. */
function foldedUnit(points: CodePoints): Unit | null {
  if (points.length === 2 && points[0] === points[1]) return plainUnit(points[0] as number);
  const [upper, , lower, , outsider] = points;
  const isPair = points.length >= 4 && points[0] === points[1] && points[2] === points[3] &&
    lower === (upper as number) + 0x20 &&
    (upper as number) >= 0x41 && (upper as number) <= 0x5a;
  if (!isPair || points.length > 6) return null;
  if (outsider !== undefined && outsider !== KELVIN_SIGN && outsider !== LONG_S) return null;
  return { point: upper as number, isFolded: true, hasOutsider: outsider !== undefined };
}

function analyseSequence(parts: readonly Node[]): Analysis {
  let run: readonly Text[] | null = [[]];
  let best: readonly Text[] | null = null;
  let isExact = true;
  for (const part of parts) {
    const { exact, best: inner } = analyse(part);
    const joined: readonly Text[] | null = run === null || exact === null ? null : product(run, exact);
    if (joined !== null) {
      run = joined;
      continue;
    }
    isExact = false;
    best = better(best, run);
    best = better(best, inner);
    run = exact !== null && exact.length <= MAX_NEEDLES ? exact : [[]];
  }
  return isExact ? { exact: run, best } : { exact: null, best: better(best, run) };
}

function product(left: readonly Text[], right: readonly Text[]): readonly Text[] | null {
  if (left.length * right.length > MAX_NEEDLES) return null;
  const all = left.flatMap((head) => right.map((tail) => [...head, ...tail]));
  return all.some((text) => text.length > MAX_EXACT_UNITS) ? null : all;
}

function analyseChoice(parts: readonly Node[]): Analysis {
  const analyses = parts.map(analyse);
  const exacts = analyses.flatMap(({ exact }) => exact ?? []);
  const areAllExact = analyses.every(({ exact }) => exact !== null) && exacts.length <= MAX_NEEDLES;
  const required = analyses.map(({ exact, best }) => better(exact, best));
  const texts = required.flatMap((text) => text ?? []);
  const isUsable = required.every((text) => text !== null) && texts.length <= MAX_NEEDLES;
  return { exact: areAllExact ? exacts : null, best: isUsable ? texts : null };
}

/** The set that a scan finds less often: the one whose shortest text is longer, then the smaller one. */
function better(one: readonly Text[] | null, other: readonly Text[] | null): readonly Text[] | null {
  if (one === null || other === null) return one ?? other;
  return scoreOf(other) > scoreOf(one) ? other : one;
}

function scoreOf(texts: readonly Text[]): number {
  const shortest = Math.min(...texts.map((text) => text.length));
  return Math.min(shortest, 12) * 4 - texts.length;
}

/** A needle that is the whole answer is worth any length. A CR may be part of a line's end, where it counts for nothing. */
function isWorthWhole(needles: readonly Needle[]): boolean {
  return needles.every(({ bytes }) => bytes.length <= MAX_NEEDLE_BYTES && !bytes.includes(0x0d));
}

/** Two bytes are on most lines: then the automaton, which must look anyway, is the faster one. */
function isWorth(needles: readonly Needle[]): boolean {
  return needles.every(({ bytes }) => bytes.length >= 3);
}

function needleOf(text: Text): Needle {
  const bytes: number[] = [];
  const isFolded: boolean[] = [];
  for (const unit of text) {
    for (const byte of encodeUtf8(String.fromCodePoint(unit.point))) {
      bytes.push(byte);
      isFolded.push(unit.isFolded);
    }
  }
  return { bytes: Uint8Array.from(bytes), isFolded };
}
