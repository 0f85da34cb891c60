/** Reads one instruction or skill file whole, with a reason when it cannot be used. */

import { isUtf8 } from "node:buffer";
import { ToolError } from "../../base/tool_error.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** A longer file is no instruction for an agent; 4 MiB also bounds the memory of a guide. */
const MAX_INSTRUCTION_BYTES = 4_194_304;

/** The whole file, or why it is not used. */
export type InstructionFile =
  | {
    readonly kind: "read";
    /** Resolved path, workspace-relative. */
    readonly path: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
    /** The same for two names of one file. */
    readonly identity: string;
  }
  | { readonly kind: "skipped"; readonly reason: string };

/** The file at `path`; links are followed inside the workspace only, special files are not opened. */
export function readInstructionFile(
  workspace: Workspace,
  path: string,
  maxBytes: number = MAX_INSTRUCTION_BYTES,
): InstructionFile {
  try {
    const opened = workspace.openFile(path);
    using handle = opened.handle;
    const { size, dev, ino } = handle.facts();
    if (size > maxBytes) return skipped(`it has ${size} bytes, more than ${maxBytes}`);
    const bytes = new Uint8Array(size);
    let filled = 0;
    while (filled < size) {
      const count = handle.readSync(bytes.subarray(filled), filled);
      if (count === 0) break;
      filled += count;
    }
    const content = bytes.subarray(0, filled);
    if (!isUtf8(content)) return skipped("it is not valid UTF-8");
    return { kind: "read", path: opened.path, bytes: content, identity: `${dev}:${ino}` };
  } catch (fault) {
    if (fault instanceof ToolError) {
      return skipped(REASONS[fault.code] ?? fault.message.slice(fault.message.lastIndexOf(": ") + 2));
    }
    if (fault instanceof SystemError) return skipped(fault.errno);
    throw fault;
  }
}

/** Short reasons, because the full messages name the path once more. */
const REASONS: Readonly<Record<string, string>> = {
  SYMLINK_ESCAPE: "it is a link that leaves the workspace",
  PATH_OUTSIDE_WORKSPACE: "it leads outside the workspace",
  NOT_FOUND: "the target of its link does not exist",
  IS_DIRECTORY: "it is a directory",
};

function skipped(reason: string): InstructionFile {
  return { kind: "skipped", reason };
}
