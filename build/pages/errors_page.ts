/** `docs/errors.md`: every code with what it means and what to do next. */

import { ERROR_CODES, type ErrorCode } from "../../src/base/error_codes.ts";
import { GENERATED, table } from "./markdown.ts";

/** What happened, and the next step. A code without a line does not compile. */
const NOTES: Readonly<Record<ErrorCode, readonly [means: string, next: string]>> = {
  ABSOLUTE_PATH_DENIED: [
    "A path starts with `/` or a drive letter.",
    "Name it relative to the workspace; the message gives the spelling where it lies inside.",
  ],
  PATH_OUTSIDE_WORKSPACE: [
    "A path contains `..` or leads outside through a linked directory.",
    "Stay inside the workspace.",
  ],
  SYMLINK_ESCAPE: [
    "The path is a symbolic link that leaves the workspace, or a write would go through a link.",
    "Name the file that the link points to, if it is inside.",
  ],
  NOT_FOUND: ["Nothing is there.", "Look with `list_dir` or `list_files`; the details name near matches."],
  IS_DIRECTORY: ["A file is needed and a directory is there.", "Use `list_dir`."],
  NOT_A_DIRECTORY: ["A directory is needed and something else is there.", "Name its directory."],
  INVALID_ARGUMENT: [
    "An argument is missing, unknown, of the wrong type or out of range.",
    "The message names the argument, the value received and the nearest right name.",
  ],
  BINARY_FILE: ["The file holds NUL bytes, or is no picture.", "Use `exec_command` with a program for that format."],
  UNSUPPORTED_ENCODING: ["The file is not UTF-8.", "Convert a copy with `exec_command`, for example by `iconv`."],
  UNSUPPORTED_MEDIA: ["A picture of a kind that cannot be shown.", "Convert it to PNG with `exec_command`."],
  OUTPUT_TOO_LARGE: [
    "The picture stays above `max_bytes`.",
    "Raise `max_bytes`, or allow resizing with `auto_resize`.",
  ],
  PATCH_FAILED: [
    "The patch cannot be read, or asks for something impossible.",
    "Correct the line that the message names.",
  ],
  PATCH_CONTEXT_NOT_FOUND: [
    "The old lines of a hunk are not in the file.",
    "Read the lines that the details show and write the hunk anew.",
  ],
  PATCH_CONTEXT_AMBIGUOUS: [
    "The old lines of a hunk are in several places.",
    "Add lines around them, or name the enclosing block after `@@`.",
  ],
  PATCH_HUNKS_OVERLAP: ["Two hunks or edits touch the same lines.", "Merge them into one."],
  PATCH_CONFLICT: ["Another program changed the file between reading and writing.", "Read it again and repeat."],
  PATCH_ROLLBACK_FAILED: [
    "A failed change could not be undone completely.",
    "The details name the backups; restore from them by hand.",
  ],
  REVISION_REQUIRED: ["`apply_changes` needs the revision of an existing file.", "Take it from `read_file`."],
  REVISION_MISMATCH: [
    "The file is not the version that the line numbers belong to.",
    "Read it again; line numbers may have moved.",
  ],
  IDEMPOTENCY_KEY_REUSED: ["The key was used for other arguments.", "Use a new key."],
  PERMISSION_REQUIRED: [
    "The command policy, or the guard of `.git`, refused.",
    "`details.permission` names the class: do it another way, or ask with `request_permissions`.",
  ],
  ELICITATION_UNSUPPORTED: [
    "The client has no way to ask its user.",
    "Start the server with the mode or flag that the message names.",
  ],
  COMMAND_NOT_FOUND: [
    "No command has this id: it never existed, was dropped, or the server was started again.",
    "Start it again with `exec_command`.",
  ],
  COMMAND_CLOSED: [
    "The command has ended, or its input is closed.",
    "Start it again with `keep_stdin_open` or `tty` if it needs input.",
  ],
  COMMAND_LIMIT_REACHED: ["Too many commands run at once.", "Wait for one, or end one with `kill_command`."],
  COMMAND_SPAWN_FAILED: [
    "The system could not start the process.",
    "See `details.errno`; out of memory or processes passes.",
  ],
  TTY_UNSUPPORTED: ["No terminals on this system.", "Run it without `tty`."],
  RUNTIME_DIR_UNWRITABLE: [
    "The private directory of commands cannot be made.",
    "Make room, or name another place in `VISE_RUNTIME_ROOT`.",
  ],
  SANDBOX_UNAVAILABLE: [
    "A command cannot be confined as asked, so it was not started.",
    "See `vise doctor`.",
  ],
  GIT_ERROR: ["Git is missing, took too long or refused.", "The message is its own."],
  IO_ERROR: [
    "The operating system refused for a reason without a code of its own.",
    "See `details.errno`; a full disk or too many open files pass.",
  ],
  INTERNAL_ERROR: ["A bug of Vise.", "Report it with the message; another call may work."],
  REPEATED_CALL_BLOCKED: ["Reserved; never sent.", "–"],
};

/** The page; a code without a note here does not compile. */
export function errorsPage(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { category, retryable }]) => {
    const [means, next] = NOTES[code as ErrorCode];
    return [`\`${code}\``, category, retryable ? "yes" : "no", means, next];
  });
  return `# Errors

${GENERATED}

A call that fails is a tool result with \`isError: true\`. Its structured value is
\`{ok: false, error: {code, message, category, retryable, details}}\`; its text begins with the code and the message and ends
with the next step. The message says what could not be done, and after a colon the fact that stopped it. \`details\` holds
\`next_action\` (a call that can be made as it stands) or \`retry_hint\` where there is one.

*Retryable* means that the same call may succeed later, or after the step that the details name. A single failure may say
otherwise in its own \`retryable\` (for example \`COMMAND_SPAWN_FAILED\` when memory was short). The second identical failure
within a minute carries \`details.repeat_warning\`; nothing is ever blocked for being repeated.

${table(["Code", "Category", "Retryable", "Means", "Next step"], rows)}

An unknown tool and a malformed request are not results but JSON-RPC errors: [protocol.md](protocol.md) lists them.
`;
}
