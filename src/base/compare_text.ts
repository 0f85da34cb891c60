/** Order of two texts by UTF-16 code unit, which no locale changes; for `Array.prototype.sort`. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
