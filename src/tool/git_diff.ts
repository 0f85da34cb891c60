/** Tool `git_diff`: unified differences of the working tree, staged, unstaged and untracked. */

import type { DiffResult } from "../engine/git/diff.ts";
import type { NextAction } from "../base/tool_error.ts";
import { utf8Length } from "../base/utf8.ts";
import * as s from "../schema/schema.ts";
import {
  boundsFields,
  cutNotice,
  DEFAULT_MAX_BYTES,
  fileFields,
  fileList,
  hiddenNotice,
  joinLines,
  keepingFirstLines,
  nextPage,
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
  offset: s.withDefault(s.integer({ min: 0 }), 0),
});

type Input = s.Infer<typeof input>;

type Output = {
  is_repo: boolean;
  diff: string;
  files: WireFile[];
  total_files: number;
  include_untracked: boolean;
  /** Lines before the first of the text. */
  offset: number;
  truncated: boolean;
  truncated_by: string;
  output_lines: number;
  output_bytes: number;
  warnings: string[];
  next_action?: NextAction;
};

/** Reads only, a page within `max_bytes`; `offset` counts lines. */
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
    offset: s.optional(s.integer()),
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
      skipLines: given.offset,
      signal,
    };
    const git = await engines.git();
    const result = await git.diff(request);
    if (result !== null) {
      return {
        is_repo: true,
        ...toOutput(result, given, { includeUntracked: unstaged && given.include_untracked }),
      };
    }
    const made = await git.diffOfChangesHere(request, (await engines.patch()).baselines());
    return { is_repo: false, ...toOutput(made, given, { includeUntracked: false }) };
  },
  render(out, given) {
    const list = fileList(out.files);
    return {
      head: out.diff === "" ? emptyLine(out) : "",
      body: out.diff,
      foot: joinLines(
        out.next_action !== undefined && cutNotice("diff", out, out.next_action),
        out.truncated && `Files, for paths:\n${list}`,
        warningLines(out.warnings),
      ),
      shorten(budgetBytes) {
        const named = `Files, for paths:\n${list}`;
        const notice = (shown: number) => hiddenNotice("git_diff", given, { out, shown });
        return {
          // A text that was cut names its files anyway.
          ...keepingFirstLines(out.diff, notice)(budgetBytes - (out.truncated ? 0 : utf8Length(named) + 1)),
          foot: joinLines(named, warningLines(out.warnings)),
        };
      },
    };
  },
});

function emptyLine(out: Output): string {
  if (out.offset > 0) return `No lines at offset ${out.offset}.`;
  return out.files.length === 0 ? "No diff." : "";
}

function toOutput(
  result: DiffResult,
  given: Input,
  { includeUntracked }: { includeUntracked: boolean },
): Omit<Output, "is_repo"> {
  const { files, total_files, warnings } = fileFields(result.files, {
    maxBytes: given.max_bytes,
    warnings: result.warnings,
  });
  return {
    diff: result.diff,
    files,
    total_files,
    include_untracked: includeUntracked,
    ...boundsFields(result, given.offset),
    warnings,
    ...nextPage("git_diff", given, result),
  };
}
