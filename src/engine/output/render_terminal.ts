/**
 * Turns what a program wrote to a terminal into the text that a person would have read (O-40).
 *
 * Grammar (ECMA-48): CSI = ESC [ parameters intermediates final; strings (OSC ] DCS P APC _ PM ^ SOS X) end with BEL or
 * ESC \; other escapes are ESC intermediates final. C0 controls act on the line: CR returns, BS goes back, a later
 * character replaces the one under it.
 */

/** One pass over everything that is not plain text; each alternative is linear, an unended string is dropped for 4 KiB. */
const CONTROL =
  // deno-lint-ignore no-control-regex
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]P_^X][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]+[0-~]|\x1b[0-~]|\x1b|\r\n|\r|\n|\x08|[\x00-\x08\x0b-\x1f\x7f]/g;

/** Furthest column that a cursor movement may name; more is not a terminal but an attack on memory. */
const MAX_COLUMN = 1_000;

/** Lines end with LF. A cursor movement to another line starts a line of its own, so that words of a screen do not run together. */
export function renderTerminal(raw: string): string {
  const screen = new LineWriter();
  let at = 0;
  for (const match of raw.matchAll(CONTROL)) {
    screen.write(raw.slice(at, match.index));
    at = match.index + match[0].length;
    const final = match[2];
    if (final !== undefined) moveBy(screen, final, match[1] as string);
    else if (match[0].endsWith("\n")) screen.lineFeed();
    else if (match[0] === "\r") screen.moveTo(0);
    else if (match[0] === "\x08") screen.moveTo(screen.column - 1);
  }
  screen.write(raw.slice(at));
  return screen.text();
}

function moveBy(screen: LineWriter, final: string, parameters: string): void {
  const count = Math.min(MAX_COLUMN, Number.parseInt(parameters, 10) || 1);
  switch (final) {
    case "C":
      return screen.moveTo(screen.column + count);
    case "D":
      return screen.moveTo(screen.column - count);
    case "G":
    case "`":
      return screen.moveTo(count - 1);
    case "K":
      return screen.erase(parameters === "" ? "0" : parameters);
    case "P":
      return screen.deleteCharacters(count);
    case "@":
      return screen.insertBlanks(count);
    case "A":
    case "B":
    case "E":
    case "F":
    case "H":
    case "d":
    case "f":
    case "J":
      return screen.newScreenLine();
    default:
      // Colours and modes show nothing.
  }
}

/** The line that is being written; finished lines as text. */
class LineWriter {
  readonly #done: string[] = [];
  /** The line while it only grew at its end, which is nearly always. */
  #plain = "";
  /** The line as cells once something inside it was changed; null before. */
  #cells: string[] | null = null;
  #column = 0;
  /** Cells of `#plain`. */
  #width = 0;

  get column(): number {
    return this.#column;
  }

  write(text: string): void {
    if (this.#cells === null && this.#column === this.#width) {
      this.#plain += text;
      this.#width += cellCount(text);
      this.#column = this.#width;
      return;
    }
    const cells = this.#asCells();
    for (const character of text) {
      while (cells.length < this.#column) cells.push(" ");
      cells[this.#column++] = character;
    }
  }

  moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(MAX_COLUMN, column));
  }

  lineFeed(): void {
    this.#done.push(this.#line() + "\n");
    this.#plain = "";
    this.#cells = null;
    this.#column = this.#width = 0;
  }

  newScreenLine(): void {
    if (this.#isEmpty()) {
      this.#column = 0;
      return;
    }
    this.lineFeed();
  }

  erase(mode: string): void {
    if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;
    const cells = this.#asCells();
    if (mode === "0") cells.length = Math.min(cells.length, this.#column);
    else if (mode === "2") cells.length = 0;
    else cells.fill(" ", 0, this.#column + 1);
  }

  deleteCharacters(count: number): void {
    this.#asCells().splice(this.#column, count);
  }

  insertBlanks(count: number): void {
    const cells = this.#asCells();
    if (this.#column < cells.length) cells.splice(this.#column, 0, ...Array(count).fill(" "));
  }

  text(): string {
    return this.#done.join("") + this.#line();
  }

  #asCells(): string[] {
    return this.#cells ??= [...this.#plain];
  }

  #isEmpty(): boolean {
    return this.#cells === null ? this.#plain === "" : this.#cells.length === 0;
  }

  #line(): string {
    return this.#cells === null ? this.#plain : this.#cells.join("");
  }
}

/** One cell per code point: what counts is that a line replaced by another of its kind keeps no rest. */
function cellCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) count--;
  }
  return count;
}
