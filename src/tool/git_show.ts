/** Tool `git_show`: one commit, tag, tree or blob. */

import { checkRevision } from "../engine/git/revision.ts";
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
  rev: s.withDefault(s.string({ minLength: 1 }), "HEAD"),
  path: s.optional(s.string({ minLength: 1 })),
  paths: s.optional(s.array(s.string({ minLength: 1 }))),
  include_diff: s.withDefault(s.boolean(), true),
  context_lines: s.withDefault(s.integer({ min: 0, max: 20 }), 3),
  max_bytes: s.withDefault(s.integer({ min: 1, max: 1_048_576 }), DEFAULT_MAX_BYTES),
  offset: s.withDefault(s.integer({ min: 0 }), 0),
});

interface Output extends Record<string, unknown> {
  is_repo: boolean;
  rev: string;
  content: string;
  files: WireFile[];
  total_files: number;
  parents: string[];
  /** Lines before the first of the text. */
  offset: number;
  truncated: boolean;
  truncated_by: string;
  output_lines: number;
  output_bytes: number;
  warnings: string[];
  next_action?: NextAction;
}

/** Reads only, a page within `max_bytes`; `offset` counts lines. */
export const gitShow = defineTool({
  name: "git_show",
  title: "Git show",
  description:
    "A commit's header and diff (a merge against its first parent), or the content of a tag, tree, blob or rev:path.",
  annotations: READ_ONLY,
  input,
  output: s.openObject({
    is_repo: s.optional(s.boolean()),
    rev: s.optional(s.string()),
    content: s.optional(s.string()),
    files: s.optional(s.array(s.openObject({ path: s.string(), status: s.string(), binary: s.boolean() }))),
    total_files: s.optional(s.integer()),
    parents: s.optional(s.array(s.string())),
    offset: s.optional(s.integer()),
    truncated: s.optional(s.boolean()),
    truncated_by: s.optional(s.string()),
    output_lines: s.optional(s.integer()),
    output_bytes: s.optional(s.integer()),
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const shown = await (await engines.git()).show({
      revision: checkRevision(given.rev, "rev"),
      paths: [...(given.path === undefined ? [] : [given.path]), ...(given.paths ?? [])],
      includeDiff: given.include_diff,
      contextLines: given.context_lines,
      ...textLimits(given.max_bytes),
      skipLines: given.offset,
      signal,
    });
    if (shown === null) {
      const none = { offset: given.offset, truncated: false, truncated_by: "", output_lines: 0, output_bytes: 0 };
      const nothing = { content: "", files: [], total_files: 0, parents: [] };
      return { is_repo: false, rev: given.rev, ...nothing, ...none, warnings: ["not a git repository"] };
    }
    return {
      is_repo: true,
      rev: given.rev,
      content: shown.content,
      parents: [...shown.parents],
      ...boundsFields(shown, given.offset),
      ...fileFields(shown.files, { maxBytes: given.max_bytes, warnings: shown.warnings }),
      ...nextPage("git_show", given, shown),
    };
  },
  render(out, given) {
    const list = fileList(out.files);
    const named = list !== "" && `Files, for paths:\n${list}`;
    return {
      head: out.content !== "" ? "" : out.offset > 0 ? `No lines at offset ${out.offset}.` : "No output.",
      body: out.content,
      foot: joinLines(
        !given.include_diff && list,
        out.next_action !== undefined && cutNotice("output", out, out.next_action),
        out.truncated && given.include_diff && named,
        warningLines(out.warnings),
      ),
      shorten(budgetBytes) {
        const notice = (shown: number) => hiddenNotice("git_show", given, { out, shown });
        const isNew = named !== false && given.include_diff && !out.truncated;
        return {
          // A text that was cut names its files anyway.
          ...keepingFirstLines(out.content, notice)(budgetBytes - (isNew ? utf8Length(named) + 1 : 0)),
          foot: joinLines(given.include_diff ? named : list, warningLines(out.warnings)),
        };
      },
    };
  },
});
