/** Keeps the first entries of a long stream in a given order, without holding or sorting all of it. */

/** Negative, zero or positive, as `Array.prototype.sort` takes it. */
export type Compare<T> = (a: T, b: T) => number;

/** Entries gathered before the surplus is dropped; sorting that many takes a few milliseconds. */
const SURPLUS = 4_096;

/** Holds at most the limit and `SURPLUS` entries at a time, however many are added. */
export class FirstInOrder<T> {
  readonly #limit: number;
  readonly #compare: Compare<T>;
  #kept: T[] = [];
  #fresh: T[] = [];
  #seen = 0;

  /** Keeps `limit` entries, the first by `compare`, which must tell any two entries apart. */
  constructor(limit: number, compare: Compare<T>) {
    this.#limit = limit;
    this.#compare = compare;
  }

  /** Entries added so far, kept or not. */
  get seen(): number {
    return this.#seen;
  }

  /** Takes the next entry, in whatever order they come. */
  add(entry: T): void {
    this.#seen++;
    this.#fresh.push(entry);
    if (this.#fresh.length >= SURPLUS) this.#merge();
  }

  /** The kept entries in order. */
  finish(): readonly T[] {
    this.#merge();
    return this.#kept;
  }

  #merge(): void {
    const last = this.#kept.length === this.#limit ? this.#kept[this.#limit - 1] : undefined;
    // Most of a long stream lies behind what is kept, and one comparison each says so.
    const useful = last === undefined ? this.#fresh : this.#fresh.filter((entry) => this.#compare(entry, last) < 0);
    this.#fresh = [];
    if (useful.length === 0) return;
    useful.sort(this.#compare);
    this.#kept = mergeSorted(this.#kept, useful, { limit: this.#limit, compare: this.#compare });
  }
}

function mergeSorted<T>(a: T[], b: T[], { limit, compare }: { limit: number; compare: Compare<T> }): T[] {
  if (a.length === 0) return b.slice(0, limit);
  const merged: T[] = [];
  let left = 0;
  let right = 0;
  while (merged.length < limit && (left < a.length || right < b.length)) {
    const takeLeft = right >= b.length || (left < a.length && compare(a[left] as T, b[right] as T) <= 0);
    merged.push((takeLeft ? a[left++] : b[right++]) as T);
  }
  return merged;
}
