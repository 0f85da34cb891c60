/** The refusals of path arguments, in one voice. */

import { type Diagnostic, ioError, type NextAction, ToolError } from "../../base/tool_error.ts";
import { MissingPermission, NotRegularError, SystemError } from "../../platform/errno.ts";
import { describeKind, type EntryKind } from "../../platform/file_facts.ts";
import { shown } from "./path_spelling.ts";

/** `SYMLINK_ESCAPE` for a link that is named itself, else `PATH_OUTSIDE_WORKSPACE`. */
export function leavesThroughLink(spelled: string, { isItself }: { readonly isItself: boolean }): ToolError {
  return isItself
    ? new ToolError("SYMLINK_ESCAPE", `Cannot use ${shown(spelled)}: it is a symbolic link that leaves the workspace`, {
      details: { path: spelled },
    })
    : new ToolError(
      "PATH_OUTSIDE_WORKSPACE",
      `Cannot use ${shown(spelled)}: it leads outside the workspace through a symbolic link`,
      { details: { path: spelled } },
    );
}

/** `NOT_FOUND` for every path, since the root itself is not there any more. */
export function workspaceGone(root: string, cause?: unknown): ToolError {
  return new ToolError("NOT_FOUND", `Cannot use the workspace: ${root} is no longer there`, {
    details: { workspace: root, retry_hint: "Only a person can help: put the directory back, or restart on another." },
    cause,
  });
}

/** The root itself is no file, whatever is to be written there. */
export function asTargetRoot(spelled: string): ToolError {
  return new ToolError("PATH_OUTSIDE_WORKSPACE", `Cannot write ${shown(spelled)}: it names the workspace root`, {
    details: { path: spelled },
  });
}

/** A write to a link is refused, so that a path names the file it changes. */
export function linkAsTarget(spelled: string): ToolError {
  return new ToolError("SYMLINK_ESCAPE", `Cannot write ${shown(spelled)}: it is a symbolic link`, {
    details: { path: spelled, retry_hint: "Name the file that the link points to; read_file reports its path." },
  });
}

/** What is known of a path that is not there. */
export interface Missing {
  readonly spelled: string;
  readonly errno: string;
  /** The caller's path is, or goes through, a link whose target is missing. */
  readonly isLink: boolean;
  /** Nearest existing directory, workspace-relative. */
  readonly nearest: string;
  /** An existing path that was probably meant. */
  readonly meant: string | null;
}

/** `NOT_FOUND`, with the nearest directory to list or the path that was probably meant. */
export function notFound(missing: Missing): ToolError {
  const next: NextAction = { tool: "list_dir", arguments: { path: missing.nearest } };
  return new ToolError("NOT_FOUND", `Cannot open ${shown(missing.spelled)}: ${absence(missing)}`, {
    details: {
      path: missing.spelled,
      ...(missing.meant === null ? {} : { did_you_mean: missing.meant }),
      retry_hint: missing.meant === null
        ? `The nearest existing directory is ${shown(missing.nearest)}; list it to see what is there.`
        : `Did you mean ${shown(missing.meant)}?`,
      next_action: next,
    },
  });
}

function isDirectory(spelled: string): ToolError {
  return new ToolError("IS_DIRECTORY", `Cannot read ${shown(spelled)}: it is a directory`, {
    details: { path: spelled, next_action: { tool: "list_dir", arguments: { path: spelled } } },
  });
}

/** `NOT_A_DIRECTORY`; for a file with the call that reads it. */
export function notADirectory(spelled: string, kind: EntryKind): ToolError {
  const next = kind === "file" ? { next_action: { tool: "read_file", arguments: { path: spelled } } } : {};
  return new ToolError("NOT_A_DIRECTORY", `Cannot list ${shown(spelled)}: it is ${describeKind(kind)}`, {
    details: { path: spelled, kind, ...next },
  });
}

/** Special files are refused without opening them (O-25). */
function notRegular(spelled: string, kind: EntryKind): ToolError {
  return new ToolError(
    "INVALID_ARGUMENT",
    `Cannot read ${shown(spelled)}: not a regular file but ${describeKind(kind)}`,
    { details: { argument: "path", path: spelled, kind } },
  );
}

/** File tools write nothing that git would run or believe (O-26). */
export function gitMetadata(spelled: string, where: string): ToolError {
  const fix = "Change the repository with git commands, or let the user start the server in dangerous mode.";
  const diagnostics: Diagnostic[] = [{
    code: "GIT_METADATA_PROTECTED",
    severity: "error",
    suggested_fix: fix,
    suggested_server_flag: "--permission-mode dangerous",
  }];
  return new ToolError(
    "PERMISSION_REQUIRED",
    `Cannot write ${shown(spelled)}: it lies in ${where}, whose files can run programs`,
    { details: { permission: "git_metadata", path: spelled }, diagnostics },
  );
}

/** Turns a fault of the platform into what the model reads; other errors pass unchanged. */
export function asPathError(fault: unknown, spelled: string): unknown {
  if (fault instanceof NotRegularError) {
    return fault.kind === "directory" ? isDirectory(spelled) : notRegular(spelled, fault.kind);
  }
  if (!(fault instanceof SystemError)) return fault;
  if (fault.errno === "ENAMETOOLONG") {
    return new ToolError("INVALID_ARGUMENT", `Cannot use ${shown(spelled)}: the name is too long`, {
      details: { argument: "path", path: spelled },
      cause: fault,
    });
  }
  if (fault.errno === "EILSEQ") {
    return new ToolError("INVALID_ARGUMENT", `Cannot use ${shown(spelled)}: a name that is not UTF-8 needs FFI`, {
      details: { argument: "path", path: spelled },
      cause: fault,
    });
  }
  if (fault.errno === "ENOENT") {
    return new ToolError("NOT_FOUND", `Cannot open ${shown(spelled)}: it went away meanwhile`, {
      details: { path: spelled },
      cause: fault,
    });
  }
  if (fault instanceof MissingPermission) {
    const flag = `--allow-${fault.permission}`;
    return new ToolError("IO_ERROR", `Cannot open ${shown(spelled)}: the server was started without ${flag} for it`, {
      details: {
        path: spelled,
        errno: fault.errno,
        step: fault.step,
        missing_flag: flag,
        retry_hint: `Only whoever starts the server can add ${flag} for the workspace`,
      },
      cause: fault,
    });
  }
  return inWords(
    ioError({ path: shown(spelled), errno: fault.errno, step: VERBS[fault.step] ?? fault.step, cause: fault }),
  );
}

/** What was being done, for the steps that the platform names by their system call. */
const VERBS: Readonly<Record<string, string>> = {
  openat2: "open",
  statx: "look at",
  lstat: "look at",
  fstat: "look at",
  getdents64: "list",
  opendir: "list",
  readlinkat: "follow",
  readlink: "follow",
};

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EIO: "input/output error",
  EMFILE: "too many open files in this server",
  ENFILE: "too many open files in this system",
  ELOOP: "its name keeps changing",
  ESTALE: "the network file system lost it",
};

/** The same error with the number's meaning in its message. */
function inWords(error: ToolError): ToolError {
  const reason = REASONS[String(error.details["errno"])];
  if (reason === undefined) return error;
  const { code, message, details, retryable, cause } = error;
  return new ToolError(code, `${message} (${reason})`, { details, retryable, cause });
}

function absence(missing: Missing): string {
  if (missing.errno === "ELOOP") return "its symbolic links go round in a circle";
  if (missing.isLink) return "the target of this symbolic link does not exist";
  return missing.errno === "ENOTDIR" ? "a parent is not a directory" : "no such file or directory";
}
