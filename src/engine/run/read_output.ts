/** Reads a stream of a command by reference and offset; never moves the cursor of the pollers (contract 3.12). */

import { ToolError } from "../../base/tool_error.ts";
import { type PageEncoding, readPage } from "../output/read_page.ts";
import { type CommandState, stateOf } from "./command_report.ts";
import type { RunEngine } from "./run_engine.ts";

/** A page of one stream. */
export interface OutputRequest {
  /** `command:<id>:stdout`, `command:<id>` or a bare id. */
  readonly ref: string;
  /** Needed where `ref` names none; must agree with it else. */
  readonly stream: "stdout" | "stderr" | undefined;
  /** Position in the stream, from 0. */
  readonly offset: number;
  readonly limitBytes: number;
  readonly encoding: PageEncoding;
}

/** The page, with the state of the command and of the stream. */
export interface OutputChunk extends CommandState {
  readonly stream: "stdout" | "stderr";
  readonly content: string;
  /** Position of the first byte served. */
  readonly offset: number;
  readonly limitBytes: number;
  /** Null when there is nothing more to read now. */
  readonly nextOffset: number | null;
  readonly totalBytes: number;
  readonly retainedBytes: number;
  readonly headBytes: number;
  /** Position of the first rolling byte that is kept. */
  readonly tailStart: number;
  /** Bytes between head and tail that are not kept. */
  readonly gapBytes: number;
  /** Bytes not kept, by stream. */
  readonly dropped: { readonly stdout: number; readonly stderr: number };
}

/** The page at `offset`, or at the next kept byte behind it. @throws ToolError COMMAND_NOT_FOUND, INVALID_ARGUMENT */
export function readOutput(engine: RunEngine, request: OutputRequest): OutputChunk {
  const { id, stream } = parseRef(request.ref.trim(), request.stream);
  const command = engine.find(id);
  const { buffer } = command[stream];
  const state = stateOf(command);
  // A page is never larger than what one stream keeps.
  const limitBytes = Math.min(request.limitBytes, engine.streamBudgetBytes);
  const ended = command.finished && !command.outputHeld;
  const page = readPage(buffer, { offset: request.offset, limitBytes, encoding: request.encoding, ended });
  if (command.finished) command.reportedAtMs ??= performance.now();
  return {
    ...state,
    stream,
    content: page.content,
    offset: page.offset,
    limitBytes,
    nextOffset: page.nextOffset,
    totalBytes: buffer.total,
    retainedBytes: buffer.retainedBytes,
    headBytes: buffer.headBytes,
    tailStart: buffer.tailStart,
    gapBytes: buffer.gapBytes,
    dropped: { stdout: command.stdout.buffer.droppedBytes, stderr: command.stderr.buffer.droppedBytes },
  };
}

function parseRef(
  ref: string,
  stream: OutputRequest["stream"],
): { id: string; stream: "stdout" | "stderr" } {
  const match = /^(?:command:)?([^:\s]+?)(?::(stdout|stderr))?$/.exec(ref);
  const id = match?.[1];
  if (id === undefined) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `Cannot read output_ref ${JSON.stringify(ref.slice(0, 120))}: not a reference`,
      {
        details: { argument: "output_ref", retry_hint: "Use a value of output_refs, or a command_id." },
      },
    );
  }
  const named = match?.[2] as "stdout" | "stderr" | undefined;
  if (named !== undefined && stream !== undefined && named !== stream) {
    throw new ToolError("INVALID_ARGUMENT", `Cannot read stream ${stream}: output_ref names ${named}`, {
      details: { argument: "stream", retry_hint: "Leave stream out." },
    });
  }
  return { id, stream: named ?? stream ?? "stdout" };
}
