/** Tool `workspace_guide`: the instruction files and skills that apply to a path (contract 9.3). */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { displayPath } from "../base/path_text.ts";
import type { NextAction } from "../base/tool_error.ts";
import type { Guide } from "../engine/guide/guide_engine.ts";
import * as s from "../schema/schema.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const input = s.object({ path: s.withDefault(s.string({ about: "May not exist yet." }), ".") });

const output = s.openObject({
  path: s.optional(s.string()),
  target_type: s.optional(s.string()),
  target_exists: s.optional(s.boolean()),
  directories: s.optional(s.array(s.string())),
  rules: s.optional(s.array(s.openObject({}))),
  skills: s.optional(s.array(s.openObject({}))),
  other_guidance: s.optional(s.array(s.openObject({}))),
  rules_truncated: s.optional(s.boolean()),
  skills_truncated: s.optional(s.boolean()),
});

interface RuleItem {
  path: string;
  directory: string;
  scope: string;
  bytes: number;
  total_lines: number;
  revision: string;
  imports?: readonly string[];
  next_action: NextAction;
}

interface SkillItem {
  name: string;
  description: string;
  path: string;
  directory: string;
  root: string;
  bytes: number;
  revision: string;
  sha256: string;
  shadowed_by?: string;
  metadata_truncated?: true;
  next_action: NextAction;
}

interface OtherItem {
  path: string;
  bytes: number;
  description?: string;
  applies_to?: string;
}

interface Output extends Record<string, unknown> {
  path: string;
  target_type: string;
  target_exists: boolean;
  directories: readonly string[];
  rules: RuleItem[];
  skills: SkillItem[];
  other_guidance: OtherItem[];
  rules_truncated: boolean;
  skills_truncated: boolean;
  next_actions: NextAction[];
  warnings: string[];
}

/** Calls that are suggested; the nearest rules weigh most, so the first ones give way (contract 9.3). */
const MAX_NEXT_ACTIONS = 8;
const SHOWN_DESCRIPTION_CHARS = 160;
/** Bytes of the notice under a shortened text. */
const NOTICE_BYTES = 200;

/** Reads only; bodies are cut to a budget that the files share. */
export const workspaceGuide = defineTool<s.Infer<typeof input>, Output>({
  name: "workspace_guide",
  title: "Workspace guide",
  description: "Instruction files and skills that apply to a path, for reading before you act.",
  annotations: READ_ONLY,
  input,
  output,
  slips: { file_path: "path", target: "path" },

  async run({ path }, { engines }) {
    return asOutput((await engines.guide()).guideFor(path));
  },

  render(out) {
    const lines = bodyLines(out);
    return {
      head: `Rules for ${displayPath(out.path)}${
        out.target_exists ? "" : " (does not exist yet)"
      } (later entries take precedence):`,
      body: lines.join("\n"),
      foot: [
        ...out.warnings.slice(0, 20).map((line) => `Warning: ${displayPath(line)}`),
        "Read the listed files in full with read_file before acting.",
      ]
        .join("\n"),
      shorten(budgetBytes) {
        const fitted = fitLinesFromStart(lines.join("\n") + "\n", budgetBytes - NOTICE_BYTES);
        const hidden = lines.length - fitted.wholeLines;
        return {
          body: `${fitted.text}… ${hidden} more lines are only in the structured value; a deeper path narrows the list`,
        };
      },
    };
  },
});

function asOutput(guide: Guide): Output {
  const rules = guide.rules.map(({ path, directory, scope, bytes, totalLines, revision, imports }): RuleItem => ({
    path,
    directory,
    scope,
    bytes,
    total_lines: totalLines,
    revision,
    ...(imports.length > 0 ? { imports } : {}),
    next_action: readCall(path),
  }));
  const skills = guide.skills.map(({ shadowedBy, isMetadataCut, ...skill }): SkillItem => ({
    ...skill,
    sha256: skill.revision,
    ...(shadowedBy === null ? {} : { shadowed_by: shadowedBy }),
    ...(isMetadataCut ? { metadata_truncated: true } : {}),
    next_action: readCall(skill.path),
  }));
  return {
    path: guide.path,
    target_type: guide.targetType,
    target_exists: guide.targetType !== "missing",
    directories: guide.directories,
    rules,
    skills,
    other_guidance: guide.otherGuidance.map(({ appliesTo, ...other }) => ({
      ...other,
      ...(appliesTo === undefined ? {} : { applies_to: appliesTo }),
    })),
    rules_truncated: guide.rulesAreCut,
    skills_truncated: guide.skillsAreCut,
    next_actions: rules.map((rule) => rule.next_action).slice(-MAX_NEXT_ACTIONS),
    warnings: [...guide.warnings],
  };
}

function readCall(path: string): NextAction {
  return { tool: "read_file", arguments: { path } };
}

function bodyLines(out: Output): string[] {
  const rules = out.rules.map(({ path, bytes, imports }) => {
    return `- ${displayPath(path)} (${bytes} bytes)${
      imports === undefined ? "" : `, names ${imports.map(displayPath).join(", ")}`
    }`;
  });
  const skills = out.skills.map(({ name, description, path, shadowed_by }) => {
    const shadow = shadowed_by === undefined ? "" : `, shadowed by ${displayPath(shadowed_by)}`;
    return `- ${name} — ${[...description].slice(0, SHOWN_DESCRIPTION_CHARS).join("")} [${displayPath(path)}${shadow}]`;
  });
  const others = out.other_guidance.map(({ path, applies_to }) => {
    return `- ${displayPath(path)}${applies_to === undefined ? "" : ` (applies to ${applies_to})`}`;
  });
  return [
    ...(rules.length > 0 ? rules : ["None found."]),
    "Skills:",
    ...(skills.length > 0 ? skills : ["None found."]),
    ...(others.length > 0 ? ["Guidance for other agents:", ...others] : []),
  ];
}
