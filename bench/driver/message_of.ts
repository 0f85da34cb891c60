/** First line of what a fault says, short enough for a table. */

const LONGEST = 200;

/** At most 200 characters. */
export function messageOf(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  return text.split("\n")[0]?.slice(0, LONGEST) ?? "";
}
