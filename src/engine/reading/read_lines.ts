/** Reads whole lines of a text file together with the revision of the file, in one pass and constant memory. */

import { createHash } from "node:crypto";
import { ToolError } from "../../base/tool_error.ts";
import { Utf8Check } from "../../base/utf8_check.ts";
import { fitLinesInJson } from "../../base/json_text.ts";
import { decodeUtf8, utf8Length } from "../../base/utf8.ts";
import type { FileFacts } from "../../platform/file_facts.ts";
import type { FileHandle } from "../../platform/tree.ts";
import { asPathError } from "../workspace/path_errors.ts";
import { shown } from "../workspace/path_spelling.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { LinePage, type PageEnd } from "./_line_page.ts";
import { fileChunks } from "./file_chunks.ts";
import { checkIsText, notUtf8 } from "./text_errors.ts";

/** Lines of one page at most (contract 3.3). */
const MAX_PAGE_LINES = 2_000;

/** A page of one file. */
export interface ReadLinesRequest {
  /** First line, counted from 1. */
  readonly startLine: number;
  /** Last line, inclusive; absent: as many as a page holds. */
  readonly endLine?: number | undefined;
  /** Bytes of content at most. */
  readonly maxBytes: number;
  /** Bytes of content as a JSON string at most, where control characters and quotes take more; absent: any. */
  readonly maxJsonBytes?: number | undefined;
  /** Bytes into `startLine` at which to begin (O-28). */
  readonly lineOffset: number;
  readonly signal: AbortSignal;
}

/** The page, and what holds for the whole file. */
export interface LinesRead {
  /** Workspace-relative, links resolved. */
  readonly path: string;
  /** The exact text, terminators and BOM kept. */
  readonly content: string;
  readonly contentBytes: number;
  /** Lines of `content`; a prefix of an over-long line counts as one. */
  readonly lines: number;
  /** SHA-256 of the whole file, hexadecimal. */
  readonly revision: string;
  readonly totalLines: number;
  readonly totalBytes: number;
  /** Offset into the first line at which `content` really begins: the one asked for, moved on to a character's start. */
  readonly lineOffset: number;
  /** What ended the page before the end of the requested range; null when nothing did. */
  readonly truncatedBy: "lines" | "bytes" | null;
  /** The first line alone exceeds `maxBytes`; `content` is a prefix of it. */
  readonly isFirstLineCut: boolean;
  /** The file changed while it was read, and was too large or too restless to be read again. */
  readonly isUnsteady: boolean;
}

/**
 * Reads a page of lines.
 *
 * @throws ToolError with the path codes, BINARY_FILE, UNSUPPORTED_ENCODING, INVALID_ARGUMENT, IO_ERROR
 */
export async function readLines(workspace: Workspace, spelled: string, request: ReadLinesRequest): Promise<LinesRead> {
  const { path, handle } = workspace.openFile(spelled);
  using file = handle;
  try {
    for (let attempt = 1;; attempt++) {
      const before = file.facts();
      const pass = await readOnce(file, before.size, { spelled, request });
      const after = file.facts();
      const isSteady = isUnchanged(before, after);
      if (isSteady || attempt === STEADY_ATTEMPTS || before.size > REREAD_BYTES) {
        return { path, ...pass, isUnsteady: !isSteady };
      }
    }
  } catch (fault) {
    throw asPathError(fault, spelled);
  }
}

/** Passes over a file that changes while it is read. */
const STEADY_ATTEMPTS = 3;
/** A changed file up to this size is read again: about 10 ms. */
const REREAD_BYTES = 8 * 1024 * 1024;

interface Pass {
  readonly spelled: string;
  readonly request: ReadLinesRequest;
}

/** What is said of each end of a page; the end of the file or of the request cuts nothing. */
const CUT_BY: Readonly<Record<PageEnd, "bytes" | null>> = { complete: null, bytes: "bytes", first_line: "bytes" };

async function readOnce(
  file: FileHandle,
  sizeBytes: number,
  { spelled, request }: Pass,
): Promise<Omit<LinesRead, "path" | "isUnsteady">> {
  const lastLine = Math.min(request.endLine ?? Infinity, request.startLine + MAX_PAGE_LINES - 1);
  const page = new LinePage({ ...request, maxLines: lastLine - request.startLine + 1 });
  const hash = createHash("sha256");
  const utf8 = new Utf8Check();
  let totalBytes = 0;
  for await (const chunk of fileChunks(file, { sizeBytes, signal: request.signal })) {
    if (totalBytes === 0) checkIsText(spelled, chunk, sizeBytes);
    hash.update(chunk);
    if (!utf8.push(chunk)) throw notUtf8(spelled, utf8.firstBad as number);
    page.push(chunk);
    totalBytes += chunk.length;
  }
  if (!utf8.finish()) throw notUtf8(spelled, utf8.firstBad as number);

  const { content, lines, end, lineOffset, offsetPastLine } = page.finish();
  const { totalLines } = page;
  if (request.lineOffset > 0 && offsetPastLine) throw offsetPast(spelled, request, totalLines);
  const isCutByLines = end === "complete" && lastLine < Math.min(request.endLine ?? Infinity, totalLines);
  const cutBy = isCutByLines ? "lines" : CUT_BY[end];
  const text = decodeUtf8(content);
  const { maxJsonBytes } = request;
  const fitted = maxJsonBytes === undefined ? null : fitLinesInJson(text, maxJsonBytes);
  return {
    content: fitted?.text ?? text,
    contentBytes: fitted === null ? content.length : utf8Length(fitted.text),
    lines: fitted?.lines ?? lines,
    revision: hash.digest("hex"),
    totalLines,
    totalBytes,
    lineOffset,
    truncatedBy: fitted === null ? cutBy : "bytes",
    isFirstLineCut: fitted?.isFirstLineCut ?? end === "first_line",
  };
}

function isUnchanged(before: FileFacts, after: FileFacts): boolean {
  return before.size === after.size && before.modifiedNs === after.modifiedNs;
}

function offsetPast(path: string, request: ReadLinesRequest, totalLines: number): ToolError {
  const { startLine, lineOffset } = request;
  const fact = startLine > totalLines ? `the file has ${totalLines} lines` : `line ${startLine} is not that long`;
  return new ToolError("INVALID_ARGUMENT", `Cannot read ${shown(path)} from byte ${lineOffset} of a line: ${fact}`, {
    details: {
      argument: "line_offset",
      path,
      line_offset: lineOffset,
      next_action: { tool: "read_file", arguments: { path, start_line: Math.min(startLine + 1, totalLines || 1) } },
    },
    retryable: true,
  });
}
