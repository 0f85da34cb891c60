/** Tool `git_diff`: unified differences of the working tree, staged, unstaged and untracked. */

import { ToolError } from "../base/tool_error.ts";
import type { DiffResult } from "../engine/git/diff.ts";
import type { FileChange } from "../engine/git/patch_reader.ts";
import * as s from "../schema/schema.ts";
import { boundsFields, cutNotice, fileList, joinLines, keepingFirstLines, warningLines } from "./_git_view.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** 64 KiB (O-6): fits the strictest client. */
const DEFAULT_MAX_BYTES = 65_536;

const input = s.object({
  path: s.optional(s.string({ minLength: 1 })),
  paths: s.optional(s.array(s.string({ minLength: 1 }))),
  staged: s.withDefault(s.boolean(), false),
  unstaged: s.withDefault(s.boolean(), true),
  include_untracked: s.withDefault(s.boolean(), true),
  context_lines: s.withDefault(s.integer({ min: 0, max: 20 }), 3),
  max_bytes: s.withDefault(s.integer({ min: 1, max: 1_048_576 }), DEFAULT_MAX_BYTES),
});

export interface WireFile {
  path: string;
  original_path?: string;
  status: string;
  binary: boolean;
  additions?: number;
  removals?: number;
}

type Output = {
  is_repo: boolean;
  diff: string;
  files: WireFile[];
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
    include_untracked: s.optional(s.boolean()),
    truncated: s.optional(s.boolean()),
    truncated_by: s.optional(s.string()),
    output_lines: s.optional(s.integer()),
    output_bytes: s.optional(s.integer()),
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const paths = [...(given.path === undefined ? [] : [given.path]), ...(given.paths ?? [])];
    const { staged, unstaged } = given;
    if (!staged && !unstaged) {
      throw new ToolError("INVALID_ARGUMENT", "Cannot show a diff: staged and unstaged are both false", {
        details: { argument: "unstaged", retry_hint: "Set staged or unstaged to true." },
      });
    }
    const request = {
      paths,
      staged,
      unstaged,
      includeUntracked: given.include_untracked,
      contextLines: given.context_lines,
      maxBytes: given.max_bytes,
      signal,
    };
    const git = await engines.git();
    const result = await git.diff(request);
    if (result !== null) return { is_repo: true, ...toOutput(result, unstaged && given.include_untracked) };
    const made = await git.diffOfChangesHere(request, (await engines.patch()).baselines());
    return { is_repo: false, ...toOutput(made, false) };
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

/** Files as they go on the wire. */
export function toWireFiles(files: readonly FileChange[]): WireFile[] {
  return files.map(({ path, originalPath, status, binary, additions, removals }) => ({
    path,
    ...(originalPath === undefined ? {} : { original_path: originalPath }),
    status,
    binary,
    ...(additions === undefined ? {} : { additions, removals: removals ?? 0 }),
  }));
}

function toOutput(result: DiffResult, includeUntracked: boolean): Omit<Output, "is_repo"> {
  return {
    diff: result.diff,
    files: toWireFiles(result.files),
    include_untracked: includeUntracked,
    ...boundsFields(result),
    warnings: [...result.warnings],
  };
}
