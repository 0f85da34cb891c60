/** Reads the lcov(1) tracefile that `deno coverage --lcov` writes. */

/** What the tests reached of one file. */
export interface FileLines {
  /** Relative to the repository, such as `src/base/utf8.ts`. */
  readonly path: string;
  /** Lines that hold code. */
  readonly found: number;
  /** Lines with code that a test reached. */
  readonly hit: number;
  /** Numbers of the lines with code that no test reached. */
  readonly unreached: readonly number[];
}

/** One record for each file; `root` is the absolute path of the repository with a slash at its end. */
export function readLcov(text: string, root: string): FileLines[] {
  return text.split("end_of_record").flatMap((record) => {
    const path = /^SF:(.*)$/m.exec(record)?.[1];
    if (path === undefined || !path.startsWith(root)) return [];
    const lines = [...record.matchAll(/^DA:(\d+),(\d+)/gm)];
    const unreached = lines.filter(([, , count]) => count === "0").map(([, line]) => Number(line));
    return [{ path: path.slice(root.length), found: lines.length, hit: lines.length - unreached.length, unreached }];
  });
}

/** `3-5, 8` for 3, 4, 5, 8. */
export function lineRanges(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => from === to ? `${from}` : `${from}-${to}`).join(", ");
}
