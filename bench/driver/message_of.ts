/** First line of what a fault says, short enough for a table. */

const LONGEST = 200;

/** At most 200 characters, none of them a control character. */
export function messageOf(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  const [line = ""] = text.split("\n");
  // Some servers put what the command wrote into the message.
  return line.replaceAll(/\p{Cc}+/gu, " ").slice(0, LONGEST).trim();
}
