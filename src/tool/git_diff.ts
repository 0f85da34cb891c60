/** Tool `git_diff`: unified differences of the working tree, staged, unstaged and untracked. */

import type { DiffResult } from "../engine/git/diff.ts";
import * as s from "../schema/schema.ts";
import {
  BOUND_FIELDS,
  FILE_FIELDS,
  PATH_ARGUMENTS,
  renderText,
  TEXT_ARGUMENTS,
  type TextFacts,
  textFacts,
  textRequest,
} from "./_git_text.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const input = s.object({
  ...PATH_ARGUMENTS,
  staged: s.withDefault(s.boolean(), false),
  unstaged: s.withDefault(s.boolean(), true),
  include_untracked: s.withDefault(s.boolean(), true),
  ...TEXT_ARGUMENTS,
});

type Output = TextFacts & {
  is_repo: boolean;
  diff: string;
  include_untracked: boolean;
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
    ...FILE_FIELDS,
    include_untracked: s.optional(s.boolean()),
    ...BOUND_FIELDS,
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const { staged, unstaged, include_untracked: includeUntracked } = given;
    const request = { ...textRequest(given), staged, unstaged, includeUntracked, signal };
    const git = await engines.git();
    const read = await git.diff(request);
    const shown: DiffResult = read ?? await git.diffOfChangesHere(request, (await engines.patch()).baselines());
    return {
      is_repo: read !== null,
      diff: shown.diff,
      include_untracked: read !== null && unstaged && includeUntracked,
      ...textFacts("git_diff", given, shown),
    };
  },
  render(out, given) {
    const empty = out.files.length === 0 ? "No diff." : "";
    return renderText(out, given, { tool: "git_diff", noun: "diff", text: out.diff, empty, files: "when_cut" });
  },
});
