/** Tool `git_show`: one commit, tag, tree or blob. */

import { checkRevision } from "../engine/git/revision.ts";
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
  rev: s.withDefault(s.string({ minLength: 1 }), "HEAD"),
  path: s.optional(s.string({ minLength: 1 })),
  paths: s.optional(s.array(s.string({ minLength: 1 }))),
  include_diff: s.withDefault(s.boolean(), true),
  context_lines: s.withDefault(s.integer({ min: 0, max: 20 }), 3),
  max_bytes: s.withDefault(s.integer({ min: 1, max: 1_048_576 }), DEFAULT_MAX_BYTES),
});

interface Output extends Record<string, unknown> {
  is_repo: boolean;
  rev: string;
  content: string;
  files: WireFile[];
  total_files: number;
  parents: string[];
  truncated: boolean;
  truncated_by: string;
  output_lines: number;
  output_bytes: number;
  warnings: string[];
}

export const gitShow = defineTool({
  name: "git_show",
  title: "Git show",
  description:
    "Header and diff of a commit (a merge against its first parent), or the content of a tag, tree, blob or rev:path.",
  annotations: READ_ONLY,
  input,
  output: s.openObject({
    is_repo: s.optional(s.boolean()),
    rev: s.optional(s.string()),
    content: s.optional(s.string()),
    files: s.optional(s.array(s.openObject({ path: s.string(), status: s.string(), binary: s.boolean() }))),
    total_files: s.optional(s.integer()),
    parents: s.optional(s.array(s.string())),
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
      signal,
    });
    if (shown === null) {
      const none = { truncated: false, truncated_by: "", output_lines: 0, output_bytes: 0 };
      const nothing = { content: "", files: [], total_files: 0, parents: [] };
      return { is_repo: false, rev: given.rev, ...nothing, ...none, warnings: ["not a git repository"] };
    }
    return {
      is_repo: true,
      rev: given.rev,
      content: shown.content,
      parents: [...shown.parents],
      ...boundsFields(shown),
      ...fileFields(shown.files, { maxBytes: given.max_bytes, warnings: shown.warnings }),
    };
  },
  render(out, given) {
    const list = fileList(out.files);
    const named = out.files.length === 0 ? "raise max_bytes" : `raise max_bytes or narrow paths to one of:\n${list}`;
    return {
      head: out.content === "" ? "No output." : "",
      body: out.content,
      foot: joinLines(
        !given.include_diff && list,
        out.truncated && cutNotice("output", out, named),
        warningLines(out.warnings),
      ),
      // Where the output itself was cut, the foot names the files.
      shorten: keepingFirstLines(
        out.content,
        (shown) =>
          `… ${out.output_lines - shown} more lines only in structuredContent${out.truncated ? "" : `; ${named}`}`,
      ),
    };
  },
});
