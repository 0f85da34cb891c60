/** Changes of a regular expression. */

/** Literals in the place of `/pattern/flags`; those that are no expression are left out. */
export function patternChanges(pattern: string, flags: string): string[] {
  const changed = new Set<string>();
  for (const part of partsOf(pattern)) {
    for (const text of changedPart(part.text)) {
      changed.add(pattern.slice(0, part.start) + text + pattern.slice(part.start + part.text.length));
    }
  }
  const literals = [...changed].filter((text) => text !== "" && isValid(text, flags)).map((text) =>
    `/${text}/${flags}`
  );
  return flags.includes("i") ? [...literals, `/${pattern}/${flags.replace("i", "")}`] : literals;
}

interface Part {
  readonly start: number;
  readonly text: string;
}

/** Escapes, classes, anchors, quantifiers and alternatives' bars, each as one part. */
function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  for (
    const match of pattern.matchAll(
      /\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|\[\^?(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\(\?(?:[:=!]|<[=!])|./gis,
    )
  ) {
    parts.push({ start: match.index, text: match[0] });
  }
  return parts;
}

function changedPart(part: string): string[] {
  if (part === "^" || part === "$" || part === "\\b") return [""];
  if (part === "+") return ["*", ""];
  if (part === "*") return ["+"];
  if (part === "?") return [""];
  if (part === "(?!") return ["(?="];
  if (part.startsWith("[^")) return [`[${part.slice(2)}`];
  if (part.startsWith("[")) return [`[^${part.slice(1)}`];
  if (part === "\\s") return ["\\S"];
  if (part === "\\d") return ["\\D"];
  if (part === "\\w") return ["\\W"];
  return [];
}

function isValid(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
