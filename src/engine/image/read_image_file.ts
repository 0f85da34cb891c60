/** Reads the file of a picture whole, after its size was checked. */

import { SystemError } from "../../platform/errno.ts";
import { ToolError } from "../../base/tool_error.ts";
import { asPathError } from "../workspace/path_errors.ts";
import { shown } from "../workspace/path_spelling.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Largest file that is read (contract 3.20). */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The bytes of a file, whatever they are. */
export interface ImageFile {
  /** Resolved, workspace-relative. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** All bytes of a regular file. @throws ToolError; the reason of an aborted `signal` */
export async function readImageFile(workspace: Workspace, spelled: string, signal: AbortSignal): Promise<ImageFile> {
  const { path, handle } = workspace.openFile(spelled);
  try {
    const { size } = handle.facts();
    if (size > MAX_FILE_BYTES) throw tooLarge(spelled, size);
    const bytes = new Uint8Array(size);
    let filled = 0;
    while (filled < size) {
      const count = await handle.read(bytes.subarray(filled), filled);
      signal.throwIfAborted();
      if (count === 0) break;
      filled += count;
    }
    return { path, bytes: bytes.subarray(0, filled) };
  } catch (fault) {
    throw fault instanceof SystemError ? asPathError(fault, spelled) : fault;
  } finally {
    handle.close();
  }
}

function tooLarge(spelled: string, bytes: number): ToolError {
  return new ToolError(
    "OUTPUT_TOO_LARGE",
    `Cannot show ${shown(spelled)}: the file has ${bytes} bytes, at most ${MAX_FILE_BYTES} are read`,
    {
      details: {
        path: spelled,
        bytes,
        max_bytes: MAX_FILE_BYTES,
        resize_attempted: false,
        warnings: [],
        retry_hint: "Make a smaller copy with a command, then view that.",
      },
    },
  );
}
