/** Tool `git_show`: one commit, tag, tree or blob. */

import { checkRevision } from "../engine/git/revision.ts";
import * as s from "../schema/schema.ts";
import {
  BOUND_FIELDS,
  FILE_FIELDS,
  NO_TEXT,
  PATH_ARGUMENTS,
  renderText,
  TEXT_ARGUMENTS,
  type TextFacts,
  textFacts,
  textRequest,
} from "./_git_text.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const input = s.object({
  rev: s.withDefault(s.string({ minLength: 1 }), "HEAD"),
  ...PATH_ARGUMENTS,
  include_diff: s.withDefault(s.boolean(), true),
  ...TEXT_ARGUMENTS,
});

type Output = TextFacts & {
  is_repo: boolean;
  rev: string;
  content: string;
  parents: string[];
};

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
    ...FILE_FIELDS,
    parents: s.optional(s.array(s.string())),
    ...BOUND_FIELDS,
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const shown = await (await engines.git()).show({
      ...textRequest(given),
      revision: checkRevision(given.rev, "rev"),
      includeDiff: given.include_diff,
      signal,
    });
    return {
      is_repo: shown !== null,
      rev: given.rev,
      content: shown?.content ?? "",
      parents: [...(shown?.parents ?? [])],
      ...textFacts("git_show", given, shown ?? NO_TEXT),
    };
  },
  render(out, given) {
    return renderText(out, given, {
      tool: "git_show",
      noun: "output",
      text: out.content,
      empty: "No output.",
      files: given.include_diff ? "when_cut" : "always",
    });
  },
});
