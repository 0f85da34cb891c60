/** Prints calls and results so that a person can follow them. */

const COLOR = Deno.stdout.isTerminal() && !Deno.noColor || Deno.env.get("FORCE_COLOR") !== undefined;
/** Lines of a result that are shown; the rest is counted. */
const SHOWN_LINES = 24;

const paint = (code: number) => (text: string) => COLOR ? `\x1b[${code}m${text}\x1b[0m` : text;
const bold = paint(1);
const dim = paint(2);
const red = paint(31);
const green = paint(32);
const cyan = paint(36);

/** A result as far as it is printed. */
export interface ShownResult {
  readonly text: string;
  readonly isError: boolean;
  readonly elapsedMs: number;
}

/** Prints the heading of the demo. */
export function printTitle(text: string): void {
  console.log(`\n${bold(text)}`);
}

/** Prints why a call is made, and the call on one line. */
export function printCall(step: number, { why, tool, args }: { why: string; tool: string; args: unknown }): void {
  console.log(`\n${bold(cyan(`${step}. ${why}`))}`);
  const shown = JSON.stringify(args);
  console.log(`${cyan("→")} ${bold(tool)} ${dim(shown.length > 160 ? shown.slice(0, 160) + "…" : shown)}`);
}

/** Prints the first lines of a result and how long it took. */
export function printResult({ text, isError, elapsedMs }: ShownResult): void {
  const lines = text.replace(/\n$/, "").split("\n");
  for (const line of lines.slice(0, SHOWN_LINES)) console.log(`  ${tint(line)}`);
  if (lines.length > SHOWN_LINES) console.log(dim(`  … ${lines.length - SHOWN_LINES} more lines`));
  console.log(`${isError ? red("✗ refused") : green("✓")} ${dim(`${elapsedMs.toFixed(1)} ms`)}`);
}

/** Prints what the demo came to. */
export function printEnd({ calls, elapsedMs, ok }: { calls: number; elapsedMs: number; ok: boolean }): void {
  const verdict = ok ? green("The bug is repaired and the tests pass.") : red("The repair failed.");
  console.log(`\n${bold(verdict)} ${dim(`${calls} calls, ${elapsedMs.toFixed(0)} ms`)}`);
}

function tint(line: string): string {
  if (/^\+(?!\+\+)/.test(line)) return green(line);
  if (/^-(?!--)/.test(line)) return red(line);
  return line;
}
