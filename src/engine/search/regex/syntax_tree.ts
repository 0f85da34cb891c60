/** What a regular expression says, free of its spelling. */

import type { CodePoints } from "./code_points.ts";

/** A place between two characters of a line. */
export type Assertion = "line-start" | "line-end" | "word-border" | "no-word-border";

/** One node; trees are never changed once made. */
export type Node =
  | { readonly kind: "empty" }
  /** One character of the set; an empty set matches nothing. Line feeds are in no set. */
  | { readonly kind: "set"; readonly points: CodePoints }
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  | { readonly kind: "choice"; readonly parts: readonly Node[] }
  /** `max` null: without end. Greedy and lazy are one: only where the leftmost match starts is ever asked. */
  | { readonly kind: "repeat"; readonly part: Node; readonly min: number; readonly max: number | null }
  | { readonly kind: "assert"; readonly assertion: Assertion };

/** The tree of a literal text. `fold` gives the set of spellings of one character. */
export function literalNode(text: string, fold: (point: CodePoints) => CodePoints): Node {
  const parts = Array.from(text, (character): Node => {
    const point = character.codePointAt(0) as number;
    return { kind: "set", points: fold([point, point]) };
  });
  return { kind: "sequence", parts };
}
