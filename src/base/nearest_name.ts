/** Finds the name somebody probably meant. */

/** The entry of `names` closest to `wrong`, or null when none is close (more than a third of its letters differ, or than half of a short one). */
export function nearestName(wrong: string, names: readonly string[]): string | null {
  const folded = fold(wrong);
  let best: string | null = null;
  if (folded === "") return null;
  let bestDistance = Math.max(2, Math.floor(folded.length / 3)) + 1;
  for (const name of names) {
    const candidate = fold(name);
    if (candidate === folded) return name;
    const distance = editDistance(folded.slice(0, 64), candidate.slice(0, 64));
    if (distance < bestDistance && distance * 2 <= Math.max(folded.length, candidate.length)) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Levenshtein distance; both texts at most 64 characters, so the table stays small. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    previous = row;
  }
  return previous[b.length] as number;
}
