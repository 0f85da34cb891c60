/**
 * Patterns for file names: `*`, `?`, `[…]`, and `**` between slashes.
 *
 * A pattern is split at its slashes into components; each component is matched against one name. Matching never
 * backtracks further than to the last star, so its cost is bounded by name length times pattern length: a pattern from
 * a hostile `.gitignore` cannot hang the walk, which a translation to a backtracking regular expression could.
 */

/** Where a pattern comes from. `git`: gitignore(5), one byte per character; `glob`: an argument of a tool. */
export type Dialect = "git" | "glob";

/** One component of a pattern. `any-depth` is `**`. */
export type Component =
  | { readonly kind: "any-depth" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "suffix"; readonly text: string }
  | { readonly kind: "tokens"; readonly tokens: readonly Token[] };

/** Thrown for a pattern that is not well formed. */
export class WildcardError extends Error {
  override readonly name = "WildcardError";
}

/** Components of `pattern`. @throws WildcardError for an unclosed set or a backslash at the end */
export function parseWildcard(pattern: string, dialect: Dialect): Component[] {
  const components: Component[] = [];
  let tokens: Token[] = [];
  let at = 0;
  const close = () => {
    components.push(componentOf(tokens));
    tokens = [];
  };
  while (at < pattern.length) {
    const unit = pattern.charCodeAt(at);
    if (unit === SLASH || (unit === BACKSLASH && pattern.charCodeAt(at + 1) === SLASH)) {
      close();
      at += unit === SLASH ? 1 : 2;
    } else if (unit === BACKSLASH) {
      if (at + 1 >= pattern.length) throw new WildcardError("a backslash at the end escapes nothing");
      tokens.push(pattern.charCodeAt(at + 1));
      at += 2;
    } else if (unit === STAR_SIGN) {
      tokens.push(STAR);
      at++;
    } else if (unit === QUESTION) {
      tokens.push(dialect === "git" ? ANY_UNIT : ANY_POINT);
      at++;
    } else if (unit === OPEN_BRACKET) {
      const set = parseSet(pattern, at + 1, dialect);
      tokens.push(set.token);
      at = set.end;
    } else {
      tokens.push(unit);
      at++;
    }
  }
  close();
  return components;
}

/** True when `name` (one component, no slash) is matched by `component`. */
export function matchesComponent(component: Component, name: string): boolean {
  switch (component.kind) {
    case "any-depth":
      return true;
    case "literal":
      return component.text === name;
    case "suffix":
      return name.length >= component.text.length && name.endsWith(component.text);
    case "tokens":
      return matchesTokens(component.tokens, name);
  }
}

type Token = number | CharacterSet;

interface CharacterSet {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
  readonly isWide: boolean;
}

const STAR = -1;
const ANY_UNIT = -2;
const ANY_POINT = -3;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const STAR_SIGN = 0x2a;
const QUESTION = 0x3f;
const OPEN_BRACKET = 0x5b;

function componentOf(tokens: readonly Token[]): Component {
  if (tokens.length >= 2 && tokens.every((token) => token === STAR)) return { kind: "any-depth" };
  if (isLiteral(tokens)) return { kind: "literal", text: textOf(tokens) };
  const rest = tokens.slice(1);
  if (tokens[0] === STAR && isLiteral(rest)) return { kind: "suffix", text: textOf(rest) };
  return { kind: "tokens", tokens };
}

/** Unit by unit: an ignore file may hold more of them than a call takes arguments. */
function textOf(units: readonly number[]): string {
  return units.map((unit) => String.fromCharCode(unit)).join("");
}

function isLiteral(tokens: readonly Token[]): tokens is readonly number[] {
  return tokens.every((token) => typeof token === "number" && token >= 0);
}

function matchesTokens(tokens: readonly Token[], name: string): boolean {
  let token = 0;
  let at = 0;
  let starToken = -1;
  let starAt = 0;
  while (at < name.length) {
    const wanted = tokens[token];
    if (wanted === STAR) {
      starToken = token++;
      starAt = at;
      continue;
    }
    const length = wanted === undefined ? 0 : matchedUnits(wanted, name, at);
    if (length > 0) {
      token++;
      at += length;
    } else if (starToken >= 0) {
      token = starToken + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (tokens[token] === STAR) token++;
  return token === tokens.length;
}

/** Units of `name` at `at` that one token takes; 0 when it does not match. */
function matchedUnits(token: Token, name: string, at: number): number {
  const unit = name.charCodeAt(at);
  if (typeof token === "number") {
    if (token >= 0) return token === unit ? 1 : 0;
    return token === ANY_POINT ? pointUnits(name, at) : 1;
  }
  const point = token.isWide ? name.codePointAt(at) as number : unit;
  const isInside = token.ranges.some(([low, high]) => point >= low && point <= high);
  if (isInside === token.isNegated) return 0;
  return token.isWide ? pointUnits(name, at) : 1;
}

function pointUnits(name: string, at: number): number {
  return (name.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

/** Parses a set whose `[` stands before `start`, as wildmatch of git does (git: wildmatch.c). */
function parseSet(pattern: string, start: number, dialect: Dialect): { token: CharacterSet; end: number } {
  const isWide = dialect === "glob";
  const ranges: (readonly [number, number])[] = [];
  let at = start;
  const isNegated = pattern[at] === "!" || pattern[at] === "^";
  if (isNegated) at++;
  let previous = -1;
  for (let isFirst = true;; isFirst = false) {
    if (at >= pattern.length) throw new WildcardError("a [ is never closed");
    if (pattern[at] === "]" && !isFirst) return { token: { isNegated, ranges, isWide }, end: at + 1 };
    const named = pattern.startsWith("[:", at) ? parseNamedClass(pattern, at) : null;
    if (named !== null) {
      ranges.push(...named.ranges);
      at = named.end;
      previous = -1;
    } else if (pattern[at] === "-" && previous >= 0 && at + 1 < pattern.length && pattern[at + 1] !== "]") {
      const high = readPoint(pattern, { at: at + 1, isWide });
      // git takes a range that runs backwards as an empty one; whoever writes it in a call has mistyped it.
      if (previous > high.point && isWide) throw new WildcardError("a range in [ ] runs backwards");
      if (previous <= high.point) ranges.push([previous, high.point]);
      at = high.end;
      previous = -1;
    } else {
      const single = readPoint(pattern, { at, isWide });
      ranges.push([single.point, single.point]);
      previous = single.point;
      at = single.end;
    }
  }
}

function readPoint(pattern: string, from: { at: number; isWide: boolean }): { point: number; end: number } {
  const { at, isWide } = from;
  const start = pattern.charCodeAt(at) === BACKSLASH ? at + 1 : at;
  if (start >= pattern.length) throw new WildcardError("a [ is never closed");
  const point = isWide ? pattern.codePointAt(start) as number : pattern.charCodeAt(start);
  return { point, end: start + (point > 0xffff ? 2 : 1) };
}

/** `[:alpha:]` at `at`; null when it is no such form, which is then an ordinary `[`. */
function parseNamedClass(
  pattern: string,
  at: number,
): { ranges: readonly (readonly [number, number])[]; end: number } | null {
  const close = pattern.indexOf("]", at + 2);
  if (close < 0) throw new WildcardError("a [ is never closed");
  if (close === at + 2 || pattern[close - 1] !== ":") return null;
  const name = pattern.slice(at + 2, close - 1);
  const ranges = NAMED_CLASSES[name];
  if (ranges === undefined) throw new WildcardError(`there is no character class [:${name}:]`);
  return { ranges, end: close + 1 };
}

const NAMED_CLASSES: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  alnum: [[0x30, 0x39], [0x41, 0x5a], [0x61, 0x7a]],
  alpha: [[0x41, 0x5a], [0x61, 0x7a]],
  blank: [[0x09, 0x09], [0x20, 0x20]],
  cntrl: [[0x00, 0x1f], [0x7f, 0x7f]],
  digit: [[0x30, 0x39]],
  graph: [[0x21, 0x7e]],
  lower: [[0x61, 0x7a]],
  print: [[0x20, 0x7e]],
  punct: [[0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]],
  space: [[0x09, 0x0d], [0x20, 0x20]],
  upper: [[0x41, 0x5a]],
  xdigit: [[0x30, 0x39], [0x41, 0x46], [0x61, 0x66]],
};
