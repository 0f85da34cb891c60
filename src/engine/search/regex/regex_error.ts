/** Refusals of a pattern. */

/** A pattern that cannot be used; the message says why. */
export class RegexError extends Error {
  override readonly name = "RegexError";
}

/** The refusal of `form`, which other dialects have. */
export function unsupported(form: string, name: string): RegexError {
  return new RegexError(
    `${form} is not supported: this dialect, which is matched in linear time, has no ${name}`,
  );
}
