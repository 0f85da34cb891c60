/** Whitespace as the grades of matching see it: ASCII only, so that a no-break space is never taken for a plain one. */

/** Space, tab, CR, FF, VT. */
function isBlankUnit(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

/** `line` without whitespace at its end. Linear, unlike the usual regular expression. */
export function trimRight(line: string): string {
  let end = line.length;
  while (end > 0 && isBlankUnit(line.charCodeAt(end - 1))) end--;
  return end === line.length ? line : line.slice(0, end);
}

/** `line` without whitespace at both ends. */
export function trimBoth(line: string): string {
  const right = trimRight(line);
  const start = indentLength(right);
  return start === 0 ? right : right.slice(start);
}

/** Units of the leading run of whitespace. */
export function indentLength(line: string): number {
  let start = 0;
  while (start < line.length && isBlankUnit(line.charCodeAt(start))) start++;
  return start;
}

/** The leading run of whitespace. */
export function indentOf(line: string): string {
  return line.slice(0, indentLength(line));
}

/** True for a line with nothing but whitespace. */
export function isBlank(line: string): boolean {
  return indentLength(line) === line.length;
}

/** Columns of an indentation, a tab going to the next multiple of 4. */
export function indentColumns(indent: string): number {
  let columns = 0;
  for (let i = 0; i < indent.length; i++) {
    columns = indent.charCodeAt(i) === 0x09 ? columns - columns % 4 + 4 : columns + 1;
  }
  return columns;
}

/** Runs of whitespace as one space each, none at the ends. */
export function collapse(line: string): string {
  return trimBoth(line).replaceAll(/[ \t\r\f\v]+/g, " ");
}

/** Characters that look like an ASCII one; what a model retypes from memory. Used to explain a miss, never to match. */
export function foldLookAlikes(line: string): string {
  return collapse(line.replaceAll(LOOK_ALIKE, (character) => LOOK_ALIKES[character] ?? character));
}

/** Look-alikes in `line` as `U+00A0`, each once. */
export function lookAlikesIn(line: string): string[] {
  const found = line.match(LOOK_ALIKE) ?? [];
  return [...new Set(found)].map((c) =>
    `U+${(c.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`
  );
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "\u00a0": " ",
  "\u2002": " ",
  "\u2003": " ",
  "\u2007": " ",
  "\u2009": " ",
  "\u200a": " ",
  "\u200b": "",
  "\u202f": " ",
  "\u3000": " ",
  "\ufeff": "",
  "\u00ad": "",
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "-",
  "\u2013": "-",
  "\u2014": "-",
  "\u2015": "-",
  "\u2212": "-",
  "\u2018": "'",
  "\u2019": "'",
  "\u201a": "'",
  "\u201b": "'",
  "\u2032": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u201e": '"',
  "\u2033": '"',
  "\u2026": "...",
};
const LOOK_ALIKE = new RegExp(`[${Object.keys(LOOK_ALIKES).join("")}]`, "g");
