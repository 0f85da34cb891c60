/** Single changes to a source file that a good test suite notices. */

/** One change, and the file it makes. */
export interface SwappedOperator {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Such as `<= → <`. */
  readonly change: string;
  /** The whole file with the change. */
  readonly text: string;
}

/** What is looked for, with spaces around it as the formatter writes it, and what takes its place. */
const SWAPS: readonly (readonly [string, string])[] = [
  [" === ", " !== "],
  [" !== ", " === "],
  [" < ", " <= "],
  [" <= ", " < "],
  [" > ", " >= "],
  [" >= ", " > "],
  [" + ", " - "],
  [" - ", " + "],
  [" && ", " || "],
  [" || ", " && "],
  [" + 1", " + 2"],
  ["return true;", "return false;"],
  ["return false;", "return true;"],
  ["continue;", "break;"],
];

/** Every mutant of a file, comments and imports left alone. */
export function operatorSwaps(file: string, source: string): SwappedOperator[] {
  const mutants: SwappedOperator[] = [];
  const lines = source.split("\n");
  for (const [index, line] of lines.entries()) {
    if (/^\s*(\/\/|\/?\*|import |export type|type )/.test(line)) continue;
    const code = line.replace(/\s\/\/ .*$/, "");
    for (const [from, to] of SWAPS) {
      for (let at = code.indexOf(from); at >= 0; at = code.indexOf(from, at + from.length)) {
        const changed = line.slice(0, at) + to + line.slice(at + from.length);
        mutants.push({
          file,
          line: index + 1,
          change: `${line.trim()} → ${changed.trim()}`,
          text: lines.toSpliced(index, 1, changed).join("\n"),
        });
      }
    }
  }
  return mutants;
}
