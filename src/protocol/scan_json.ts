/** One pass over JSON text for what `JSON.parse` does not tell: how deep it nests and how its id was spelled. */

/** Arrays and objects inside each other; deeper input is refused as unparsable (O-17). */
export const MAX_NESTING = 1_000;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;

/** What one pass found. */
export interface JsonScan {
  /** Whether it nests deeper than `MAX_NESTING`. */
  readonly tooDeep: boolean;
  /** Text of the value of the last top-level key `id`, exactly as sent; null when there is none. Only meaningful for valid JSON. */
  readonly idText: string | null;
}

/** Linear in the length of `text`; works on any text, valid or not. */
export function scanJson(text: string): JsonScan {
  let depth = 0;
  let idText: string | null = null;
  let keyStart = -1;
  let keyEnd = -1;
  let valueStart = -1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      const start = i;
      i = closingQuote(text, i);
      if (depth === 1 && valueStart < 0) {
        keyStart = start;
        keyEnd = i + 1;
      }
      continue;
    }
    if (unit === 123 || unit === 91) {
      depth++;
      if (depth > MAX_NESTING) return { tooDeep: true, idText };
    } else if (unit === 125 || unit === 93) {
      if (depth === 1 && valueStart >= 0) {
        idText = namedId(text, keyStart, keyEnd) ? text.slice(valueStart, i).trim() : idText;
      }
      depth--;
    } else if (depth === 1 && unit === COLON && valueStart < 0) {
      valueStart = i + 1;
    } else if (depth === 1 && unit === COMMA && valueStart >= 0) {
      if (namedId(text, keyStart, keyEnd)) idText = text.slice(valueStart, i).trim();
      valueStart = -1;
    }
  }
  return { tooDeep: false, idText };
}

/** Index of the quote that ends the string begun at `start`, or the last index when it never ends. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return text.length - 1;
}

/** Whether the key between the offsets reads `id`, escapes resolved (`"\u0069d"` is the same key to a JSON parser). */
function namedId(text: string, start: number, end: number): boolean {
  const key = text.slice(start, end);
  if (key === '"id"') return true;
  if (!key.includes("\\") || key.length > 14) return false;
  try {
    return JSON.parse(key) === "id";
  } catch {
    // Not a valid string: the whole text is not valid JSON either and is refused by the parser.
    return false;
  }
}
