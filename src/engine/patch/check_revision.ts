/** Whether a change was made for the version of the file that is there (contract 8.2). */

import { ToolError } from "../../base/tool_error.ts";
import type { NumberedChange } from "./change_request.ts";
import type { StagedFile } from "./staged_file.ts";

/**
 * Compares the revision of a change with that of the file; a file that exists needs one.
 *
 * @throws ToolError REVISION_REQUIRED, REVISION_MISMATCH, INVALID_ARGUMENT when it is no SHA-256
 */
export async function checkRevision(file: StagedFile, at: NumberedChange): Promise<void> {
  const { change, index } = at;
  const before = file.baseline;
  if (change.revision === undefined) throw required(file, at);
  const revision = change.revision.trim().toLowerCase().replace(/^sha256:/, "");
  const read = { tool: "read_file", arguments: { path: change.path, line_numbers: true } };
  if (!/^[0-9a-f]{64}$/.test(revision)) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `Cannot use the revision of changes[${index}]: it is not 64 hexadecimal digits`,
      {
        details: {
          field: `changes[${index}].revision`,
          received_length: change.revision.length,
          path: file.path,
          next_action: read,
        },
      },
    );
  }
  const expected = { path: file.path, change_index: index, expected_revision: revision, revision_algorithm: "sha256" };
  if (before === null) {
    throw new ToolError(
      "REVISION_MISMATCH",
      `Cannot write ${change.path}: a revision was given, but the file does not exist`,
      { details: { ...expected, exists: false, retry_hint: "Leave revision out to make the file" } },
    );
  }
  if (revision === before.revision) return;
  throw new ToolError(
    "REVISION_MISMATCH",
    `Cannot ${change.action} ${change.path}: it is not the version with the given revision any more`,
    {
      details: {
        ...expected,
        // The current revision is withheld: with it the old line numbers would be applied to other lines.
        total_lines: await file.countLines(),
        next_action: read,
        retry_hint: "Read the file again and write the change for its present lines",
      },
    },
  );
}

function required(file: StagedFile, { change, index }: NumberedChange): ToolError {
  return new ToolError(
    "REVISION_REQUIRED",
    `Cannot ${change.action} ${change.path}: it exists and no revision was given`,
    {
      details: {
        path: file.path,
        change_index: index,
        current_revision: file.baseline?.revision,
        revision_algorithm: "sha256",
        retry_hint: "Read the file and pass the revision it reports, so that nothing unseen is overwritten",
        next_action: { tool: "read_file", arguments: { path: change.path } },
      },
    },
  );
}
