/** Tool `git_diff`: unified differences of the working tree, staged, unstaged and untracked. */

import type { DiffResult } from "../engine/git/diff.ts";
import * as s from "../schema/schema.ts";
import {
  boundsFields,
  cutNotice,
  DEFAULT_MAX_BYTES,
  fileFields,
  fileList,
  joinLines,
  keepingFirstLines,
  textLimits,
  warningLines,
  type WireFile,
} from "./_git_view.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const input = s.object({
  path: s.optional(s.string({ minLength: 1 })),
  paths: s.optional(s.array(s.string({ minLength: 1 }))),
  staged: s.withDefault(s.boolean(), false),
  unstaged: s.withDefault(s.boolean(), true),
  include_untracked: s.withDefault(s.boolean(), true),
  context_lines: s.withDefault(s.integer({ min: 0, max: 20 }), 3),
  max_bytes: s.withDefault(s.integer({ min: 1, max: 1_048_576 }), DEFAULT_MAX_BYTES),
});

type Output = {
  is_repo: boolean;
  diff: string;
  files: WireFile[];
  total_files: number;
  include_untracked: boolean;
  truncated: boolean;
  truncated_by: string;
  output_lines: number;
  output_bytes: number;
  warnings: string[];
};

export const gitDiff = defineTool({
  name: "git_diff",
  title: "Git diff",
  description: "Unified diff of the working tree: unstaged and untracked changes, staged ones with staged=true.",
  annotations: READ_ONLY,
  input,
  output: s.openObject({
    is_repo: s.optional(s.boolean()),
    diff: s.optional(s.string()),
    files: s.optional(s.array(s.openObject({ path: s.string(), status: s.string(), binary: s.boolean() }))),
    total_files: s.optional(s.integer()),
    include_untracked: s.optional(s.boolean()),
    truncated: s.optional(s.boolean()),
    truncated_by: s.optional(s.string()),
    output_lines: s.optional(s.integer()),
    output_bytes: s.optional(s.integer()),
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const paths = [...(given.path === undefined ? [] : [given.path]), ...(given.paths ?? [])];
    const { staged, unstaged } = given;
    const request = {
      paths,
      staged,
      unstaged,
      includeUntracked: given.include_untracked,
      contextLines: given.context_lines,
      ...textLimits(given.max_bytes),
      signal,
    };
    const git = await engines.git();
    const result = await git.diff(request);
    if (result !== null) {
      return {
        is_repo: true,
        ...toOutput(result, { includeUntracked: unstaged && given.include_untracked, maxBytes: given.max_bytes }),
      };
    }
    const made = await git.diffOfChangesHere(request, (await engines.patch()).baselines());
    return { is_repo: false, ...toOutput(made, { includeUntracked: false, maxBytes: given.max_bytes }) };
  },
  render(out) {
    const named = `narrow paths to one of:\n${fileList(out.files)}`;
    return {
      head: out.files.length === 0 && out.diff === "" ? "No diff." : "",
      body: out.diff,
      foot: joinLines(
        out.truncated && cutNotice("diff", out, `raise max_bytes or ${named}`),
        warningLines(out.warnings),
      ),
      // Where the diff itself was cut, the foot names the files.
      shorten: keepingFirstLines(
        out.diff,
        (shown) =>
          `… ${out.output_lines - shown} more lines only in structuredContent${out.truncated ? "" : `; ${named}`}`,
      ),
    };
  },
});

function toOutput(
  result: DiffResult,
  { includeUntracked, maxBytes }: { includeUntracked: boolean; maxBytes: number },
): Omit<Output, "is_repo"> {
  const { files, total_files, warnings } = fileFields(result.files, { maxBytes, warnings: result.warnings });
  return {
    diff: result.diff,
    files,
    total_files,
    include_untracked: includeUntracked,
    ...boundsFields(result),
    warnings,
  };
}
