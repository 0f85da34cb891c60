import { concatBytes } from "./_bytes.ts";
import type { ChildEnd } from "./_child.ts";
import type { Git, OpenRepository } from "./git.ts";

/** What to run, and how much of its output is wanted. */
export interface BoundedStart {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** Git is ended by the first piece that reaches this many bytes, which is still kept. */
  readonly limitBytes: number;
}

/** Runs git and keeps what it prints, whichever way it ends; `end.stopped` tells that there was more. */
export async function startBounded(
  git: Git,
  repository: OpenRepository,
  { args, signal, limitBytes }: BoundedStart,
): Promise<{ readonly end: ChildEnd; readonly output: Uint8Array }> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const end = await git.start(repository, args, {
    signal,
    onOutput(chunk) {
      parts.push(chunk);
      bytes += chunk.length;
      return bytes < limitBytes;
    },
  });
  return { end, output: concatBytes(parts) };
}
