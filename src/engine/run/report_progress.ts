/** Tells a waiting client how far the output of its command has come (O-14). */

import { decodeUtf8 } from "../../base/utf8.ts";
import { renderTerminal } from "../output/render_terminal.ts";
import type { Command } from "./command.ts";

/** Given all bytes of output so far, and the last line of it. */
export type TakeProgress = (bytes: number, lastLine: string) => void;

/** Progress reaches the client at most four times a second (O-14). */
const PROGRESS_INTERVAL_MS = 250;
/** Of a longer last line its end is shown. */
const LAST_LINE_BYTES = 200;

/** Tells `progress` about new output until the returned function is called. */
export function reportProgress(command: Command, progress: TakeProgress | undefined): () => void {
  if (progress === undefined) return () => undefined;
  let told = -1;
  const timer = setInterval(() => {
    const bytes = command.outputBytes;
    if (bytes === told) return;
    told = bytes;
    progress(bytes, lastLine(command));
  }, PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}

function lastLine(command: Command): string {
  const { buffer } = command.stdout.buffer.total > 0 ? command.stdout : command.stderr;
  const range = buffer.read(Math.max(buffer.tailStart, buffer.total - LAST_LINE_BYTES), LAST_LINE_BYTES);
  return renderTerminal(decodeUtf8(range.bytes)).trimEnd().split("\n").at(-1) ?? "";
}
