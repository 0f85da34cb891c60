/** Tool `workspace_guide`: the instruction files and skills that apply to a path (contract 9.3). */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { displayPath } from "../base/path_text.ts";
import type { NextAction } from "../base/tool_error.ts";
import type { Guide } from "../engine/guide/guide_engine.ts";
import * as s from "../schema/schema.ts";
import { fitEntries, jsonBytes } from "./_fit_entries.ts";
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
/** Of a skill, in the text; the value has all of it. */
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
    return withinBounds(asOutput((await engines.guide()).guideFor(path)));
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

/** Bytes of each list as JSON; together the value stays within 64 KiB (O-6). */
const JSON_BYTES = { directories: 8_192, rules: 18_432, others: 4_096, actions: 5_120, warnings: 4_096 };
const VALUE_JSON_BYTES = 64 * 1_024;
/** Lines that say what was left out. */
const OTHER_JSON_BYTES = 1_024;

/** Long lists lose what matters least: of directories and rules the farthest, of skills the last. */
function withinBounds(out: Output): Output {
  const directories = fitLast(out.directories, JSON_BYTES.directories);
  const rules = fitLast(out.rules, JSON_BYTES.rules);
  const others = fitEntries(out.other_guidance, JSON_BYTES.others);
  const nextActions = fitLast(out.next_actions, JSON_BYTES.actions);
  const warnings = fitEntries(out.warnings, JSON_BYTES.warnings);
  const rest = { ...out, directories, rules, skills: [], other_guidance: others, next_actions: nextActions, warnings };
  const skills = fitEntries(out.skills, VALUE_JSON_BYTES - OTHER_JSON_BYTES - jsonBytes(rest));
  const lost = [
    [out.directories.length - directories.length, "directories far above the path"],
    [out.rules.length - rules.length, "rules far above the path"],
    [out.skills.length - skills.length, "skills"],
    [out.other_guidance.length - others.length, "files of other guidance"],
  ].flatMap(([count, what]) => count === 0 ? [] : [`${count} ${what} are left out, because the list is too long`]);
  return {
    ...out,
    directories,
    rules,
    skills,
    other_guidance: others,
    rules_truncated: out.rules_truncated || rules.length < out.rules.length,
    skills_truncated: out.skills_truncated || skills.length < out.skills.length,
    next_actions: nextActions,
    warnings: [...lost, ...warnings],
  };
}

/** The last entries whose JSON fits, in their order; at least one. */
function fitLast<T>(entries: readonly T[], maxBytes: number): T[] {
  return fitEntries(entries.toReversed(), maxBytes).reverse();
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
