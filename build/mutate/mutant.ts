/** One small change to a source file that a good test suite notices. */
export interface Mutant {
  /** Counted from 0 within a room. */
  readonly id: number;
  /** Relative to the repository. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line of the source in which it begins, without indentation. */
  readonly code: string;
  /** Such as `"<=" → "<"`, short enough for a table. */
  readonly change: string;
  /** Range of the source that is replaced. */
  readonly start: number;
  readonly end: number;
  /** What is replaced: an expression, a whole statement (which is left out), or the key of a property. */
  readonly form: "expression" | "statement" | "key";
  /** Text in its place; empty for a statement. */
  readonly text: string;
}
