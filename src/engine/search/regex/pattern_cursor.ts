/** The place in a pattern up to which it is read. */
export class PatternCursor {
  readonly #pattern: string;
  /** In UTF-16 units. */
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** The UTF-16 unit `ahead` of the place, without reading it; undefined behind the end. */
  peek(ahead = 0): string | undefined {
    return this.#pattern[this.#at + ahead];
  }

  /** Whether `text` comes next, without reading it. */
  startsWith(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  /** Reads `text` if it comes next. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Reads what `form`, a sticky expression, finds at the place; null, and nothing read, where it finds nothing. */
  match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const match = form.exec(this.#pattern);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  /** Reads one character, which must be there. */
  next(): number {
    const point = this.#pattern.codePointAt(this.#at);
    if (point === undefined) throw new RangeError("the pattern is read to its end");
    this.#at += point > 0xffff ? 2 : 1;
    return point;
  }
}
