/** Sets of Unicode code points, and what Unicode says of characters. */

/** Sorted, disjoint, inclusive ranges: low, high, low, high, … */
export type CodePoints = readonly number[];

/** The largest code point (Unicode 3.4, D9). */
export const MAX_CODE_POINT = 0x10ffff;

/** The set of all given ranges, in any order and overlapping as they like. */
export function unionOf(...sets: readonly CodePoints[]): CodePoints {
  const ranges: [number, number][] = [];
  for (const set of sets) {
    for (let at = 0; at < set.length; at += 2) ranges.push([set[at] as number, set[at + 1] as number]);
  }
  ranges.sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [low, high] of ranges) {
    const end = merged.length - 1;
    if (merged.length > 0 && low <= (merged[end] as number) + 1) merged[end] = Math.max(merged[end] as number, high);
    else merged.push(low, high);
  }
  return merged;
}

/** Every code point that is not in `set`. */
export function complementOf(set: CodePoints): CodePoints {
  const rest: number[] = [];
  let next = 0;
  for (let at = 0; at < set.length; at += 2) {
    if ((set[at] as number) > next) rest.push(next, (set[at] as number) - 1);
    next = (set[at + 1] as number) + 1;
  }
  if (next <= MAX_CODE_POINT) rest.push(next, MAX_CODE_POINT);
  return rest;
}

/** What is in `set` and not in `removed`. */
export function without(set: CodePoints, removed: CodePoints): CodePoints {
  return complementOf(unionOf(complementOf(set), removed));
}

/** Takes time logarithmic in the number of ranges. */
export function contains(set: CodePoints, point: number): boolean {
  let low = 0;
  let high = (set.length >> 1) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (point < (set[2 * middle] as number)) high = middle - 1;
    else if (point > (set[2 * middle + 1] as number)) low = middle + 1;
    else return true;
  }
  return false;
}

/** Number of code points in `set`. */
export function sizeOf(set: CodePoints): number {
  let size = 0;
  for (let at = 0; at < set.length; at += 2) size += (set[at + 1] as number) - (set[at] as number) + 1;
  return size;
}

/**
 * Unicode facts, asked of the runtime and remembered: the first question costs some 20 ms, so only Workers ask.
 *
 * Letter case is simple case folding (CaseFolding.txt, C and S), the one of ripgrep and of the `iu` flags.
 */
export class UnicodeFacts {
  readonly #properties = new Map<string, CodePoints | null>();
  #partners: ReadonlyMap<number, readonly number[]> | undefined;

  /** `\w` (UTS #18, annex C). */
  get word(): CodePoints {
    return this.#matching("\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}") as CodePoints;
  }

  get digit(): CodePoints {
    return this.#matching("\\p{Nd}") as CodePoints;
  }

  get space(): CodePoints {
    return this.#matching("\\p{White_Space}") as CodePoints;
  }

  /** Code points with the property or script `name`, such as `L`, `Greek` or `sc=Greek`; null when Unicode has no such. */
  property(name: string): CodePoints | null {
    if (!/^[A-Za-z_]+(?:=[A-Za-z_]+)?$/.test(name)) return null;
    return this.#matching(`\\p{${name}}`) ?? this.#matching(`\\p{Script=${name}}`);
  }

  /** `set` and everything that differs from a member only in case. */
  folded(set: CodePoints): CodePoints {
    const added: number[] = [];
    const isAscii = (set.at(-1) ?? 0) < 0x80;
    if (isAscii) {
      for (let at = 0; at < set.length; at += 2) {
        for (let point = set[at] as number; point <= (set[at + 1] as number); point++) {
          for (const partner of asciiPartners(point)) added.push(partner, partner);
        }
      }
    } else {
      for (const [point, partners] of this.#casePartners()) {
        if (contains(set, point)) { for (const partner of partners) added.push(partner, partner); }
      }
    }
    return added.length === 0 ? set : unionOf(set, added);
  }

  #matching(inside: string): CodePoints | null {
    const known = this.#properties.get(inside);
    if (known !== undefined) return known;
    let found: CodePoints | null;
    try {
      found = membersOf(new RegExp(`[${inside}]+`, "gu"));
    } catch {
      // A SyntaxError: no property of that name.
      found = null;
    }
    this.#properties.set(inside, found);
    return found;
  }

  /** Every cased code point with the others that fold to the same one. */
  #casePartners(): ReadonlyMap<number, readonly number[]> {
    if (this.#partners !== undefined) return this.#partners;
    const families = new Map<number, Set<number>>();
    const cased = this.#matching("\\p{Changes_When_Casemapped}\\p{Changes_When_Casefolded}") as CodePoints;
    for (let at = 0; at < cased.length; at += 2) {
      for (let point = cased[at] as number; point <= (cased[at + 1] as number); point++) joinFamily(families, point);
    }
    for (const [one, other] of FULL_ONLY) join(families, one, other);
    const partners = new Map<number, readonly number[]>();
    for (const [point, family] of families) {
      // The mappings above are hints; the runtime's own folding decides.
      const isPartner = new RegExp(`^\\u{${point.toString(16)}}$`, "iu");
      const others = [...family].filter((other) => other !== point && isPartner.test(String.fromCodePoint(other)));
      if (others.length > 0) partners.set(point, others);
    }
    return this.#partners = partners;
  }
}

/** Pairs that fold alike although neither is the other's upper or lower case (CaseFolding.txt, status S). */
const FULL_ONLY: readonly (readonly [number, number])[] = [[0x390, 0x1fd3], [0x3b0, 0x1fe3], [0xfb05, 0xfb06]];

/** All code points of which `runs` matches runs: every run is a range, because the texts hold the code points in order. */
function membersOf(runs: RegExp): CodePoints {
  const ranges: number[] = [];
  const points = new Array<number>(CHUNK_POINTS);
  for (let from = 0; from <= MAX_CODE_POINT; from += CHUNK_POINTS) {
    // Surrogates are no characters.
    if (from >= 0xd800 && from < 0xe000) continue;
    for (let offset = 0; offset < CHUNK_POINTS; offset++) points[offset] = from + offset;
    const unitsPerPoint = from > 0xffff ? 2 : 1;
    for (const { index, 0: run } of String.fromCodePoint.apply(null, points).matchAll(runs)) {
      const low = from + index / unitsPerPoint;
      ranges.push(low, low + run.length / unitsPerPoint - 1);
    }
  }
  return unionOf(ranges);
}

/** Divides both the planes and the surrogates evenly. */
const CHUNK_POINTS = 0x800;

function joinFamily(families: Map<number, Set<number>>, point: number): void {
  const text = String.fromCodePoint(point);
  for (const mapped of [text.toLowerCase(), text.toUpperCase(), text.toUpperCase().toLowerCase()]) {
    const other = mapped.codePointAt(0) as number;
    if (mapped.length === (other > 0xffff ? 2 : 1)) join(families, point, other);
  }
}

function join(families: Map<number, Set<number>>, one: number, other: number): void {
  const left = families.get(one) ?? new Set([one]);
  const right = families.get(other) ?? new Set([other]);
  const whole = left.size >= right.size ? left : right;
  for (const member of left === whole ? right : left) {
    whole.add(member);
    families.set(member, whole);
  }
  families.set(one, whole);
  families.set(other, whole);
}

/** The other code points that fold like the ASCII character `point`. */
function asciiPartners(point: number): readonly number[] {
  const isLetter = (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a);
  if (!isLetter) return [];
  const other = point ^ 0x20;
  const lower = point | 0x20;
  if (lower === 0x6b) return [other, KELVIN_SIGN];
  return lower === 0x73 ? [other, LONG_S] : [other];
}

/** The two characters outside ASCII that fold to ASCII letters. */
export const KELVIN_SIGN = 0x212a;
/** U+017F, which folds to the ASCII letter s (CaseFolding.txt). */
export const LONG_S = 0x17f;
