/** Failures of the operating system in the words of the contract. */

import { ToolError } from "../../base/tool_error.ts";
import { MissingPermission, SystemError } from "../../platform/errno.ts";

/** The `ToolError` for a failed step on `path`; anything that is no `SystemError` is given back as it is. */
export function writeFault(fault: unknown, path: string): unknown {
  if (!(fault instanceof SystemError)) return fault;
  if (fault.errno === "ELOOP") {
    return new ToolError("SYMLINK_ESCAPE", `Cannot write ${path}: a symbolic link appeared in its path`, {
      details: { path },
      cause: fault,
    });
  }
  if (fault instanceof MissingPermission) return missingFlag(fault, path);
  const reason = REASONS[fault.errno];
  return new ToolError(
    "IO_ERROR",
    `Cannot ${STEPS[fault.step] ?? fault.step} ${path}: ${fault.errno}${reason === undefined ? "" : `, ${reason}`}`,
    {
      details: {
        path,
        errno: fault.errno,
        step: fault.step,
        retry_hint: "Nothing was changed; remove the cause first",
      },
      retryable: PASSING.has(fault.errno),
      cause: fault,
    },
  );
}

function missingFlag(fault: MissingPermission, path: string): ToolError {
  const flag = `--allow-${fault.permission}`;
  const doing = STEPS[fault.step] ?? fault.step;
  return new ToolError("IO_ERROR", `Cannot ${doing} ${path}: the server was started without ${flag} for it`, {
    details: {
      path,
      errno: fault.errno,
      step: fault.step,
      missing_flag: flag,
      retry_hint: `Nothing was changed; only whoever starts the server can add ${flag} for the workspace`,
    },
    cause: fault,
  });
}

/** The file was changed by somebody else between reading and writing. */
export function conflict(path: string, fact: string): ToolError {
  return new ToolError("PATCH_CONFLICT", `Cannot write ${path}: ${fact}`, {
    details: { path, retry_hint: "Nothing was changed; read the file again and repeat the call" },
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  ENOSPC: "no space left on device",
  EDQUOT: "disk quota exceeded",
  EFBIG: "file too large",
  EIO: "input/output error",
  ENAMETOOLONG: "file name too long",
  EMFILE: "too many open files",
  EXDEV: "cross-device link",
  EILSEQ: "the name is not UTF-8",
};

/** Errors that may pass by themselves (O-9). */
const PASSING: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "EAGAIN"]);

const STEPS: Readonly<Record<string, string>> = {
  create: "create",
  write: "write",
  chmod: "set the mode of",
  chown: "set the owner of",
  setxattr: "set the attributes of",
  fsync: "force to disk",
  fsync_directory: "force to disk the directory of",
  rename: "replace",
  unlink: "remove",
  link: "make a backup of",
  mkdir: "make the directory of",
  journal_write: "write the journal for",
  journal_fsync: "force to disk the journal for",
  journal_remove: "remove the journal for",
};
