/** Which instruction files and skills apply to a target (contract 9.3). Reads metadata, runs nothing, grants nothing. */

import { QUICK_FILES } from "../../platform/quick_files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { findOtherGuidance, type OtherGuidance } from "./find_other_guidance.ts";
import { findRules, type Rule } from "./find_rules.ts";
import { findSkills, type Skill } from "./find_skills.ts";
import { ProjectContext } from "./project_context.ts";
import { targetChain } from "./target_chain.ts";

/** What applies to one target. */
export interface Guide {
  /** Resolved target. */
  readonly path: string;
  readonly targetType: "file" | "directory" | "other" | "missing";
  /** Root first. */
  readonly directories: readonly string[];
  readonly rules: readonly Rule[];
  readonly rulesAreCut: boolean;
  /** Nearest first. */
  readonly skills: readonly Skill[];
  readonly skillsAreCut: boolean;
  readonly otherGuidance: readonly OtherGuidance[];
  readonly warnings: readonly string[];
}

/** Warnings that are passed on: each names one file, and a broken tree may hold thousands. */
const MAX_WARNINGS = 64;

/** Reads anew at each call: instruction files change while an agent works. */
export class GuideEngine {
  readonly #workspace: Workspace;
  /** Instruction files of the whole project, for `server_info`. */
  readonly context: ProjectContext;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.context = new ProjectContext({
      root: workspace.root,
      files: QUICK_FILES,
      workspace: () => Promise.resolve(workspace),
    });
  }

  /** @throws ToolError with the path codes; a target that does not exist yet is answered (O-18) */
  guideFor(spelled: string): Guide {
    const chain = targetChain(this.#workspace, spelled);
    const rules = findRules(this.#workspace, chain.directories);
    const skills = findSkills(this.#workspace, chain.directories);
    const warnings = [
      ...(chain.isCut ? ["The target lies deeper than 32 directories; the deeper part was not looked at."] : []),
      ...rules.warnings,
      ...skills.warnings,
    ];
    const hidden = warnings.length - MAX_WARNINGS;
    return {
      path: chain.path,
      targetType: chain.kind === "file" || chain.kind === "directory" || chain.kind === "missing"
        ? chain.kind
        : "other",
      directories: chain.directories,
      rules: rules.rules,
      rulesAreCut: rules.isCut,
      skills: skills.skills,
      skillsAreCut: skills.isCut,
      otherGuidance: findOtherGuidance(this.#workspace, chain.directories),
      warnings: hidden > 0 ? [...warnings.slice(0, MAX_WARNINGS), `${hidden} more warnings are not shown.`] : warnings,
    };
  }
}
