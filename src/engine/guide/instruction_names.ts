/** Names of the files in which projects instruct coding agents (contract 9). */

/** Looked for in the workspace root and below, in byte order; their text goes into `instructions`. */
export const INSTRUCTION_NAMES = ["AGENTS.MD", "AGENTS.md", "CLAUDE.MD", "CLAUDE.md"] as const;

/** Looked for in every directory on the way to a target, in order of precedence within the directory. */
export const RULE_NAMES = [
  "AGENTS.override.md",
  "AGENTS.md",
  "AGENTS.MD",
  "CLAUDE.md",
  "CLAUDE.MD",
  ".claude/CLAUDE.md",
] as const;

/** Directories that hold skills, in order of precedence. */
export const SKILL_ROOTS = [".agents/skills", ".claude/skills", "skills", ".codex/skills"] as const;

/** Guidance for other agents: listed, never read into an answer. */
export const OTHER_GUIDANCE_FILES = [
  "GEMINI.md",
  "CONVENTIONS.md",
  ".github/copilot-instructions.md",
  ".cursorrules",
  ".windsurfrules",
  ".clinerules",
] as const;

/** Directories whose files guide other agents, with the ending those files have. */
export const OTHER_GUIDANCE_DIRECTORIES = [
  { path: ".cursor/rules", ending: ".mdc" },
  { path: ".github/instructions", ending: ".instructions.md" },
] as const;

/** Whether a file of this name instructs agents below its directory. */
export function isInstructionName(name: string): boolean {
  return (INSTRUCTION_NAMES as readonly string[]).includes(name);
}
