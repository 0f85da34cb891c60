/** Guidance written for other agents, as metadata: where it is, and what its front matter says it applies to. */

import { ToolError } from "../../base/tool_error.ts";
import { pathIn } from "../../base/tree_path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { entryKind } from "./entry_kind.ts";
import { readFrontMatter } from "./front_matter.ts";
import { OTHER_GUIDANCE_DIRECTORIES, OTHER_GUIDANCE_FILES } from "./instruction_names.ts";
import { readInstructionFile } from "./read_instruction_file.ts";

/** Files that are listed. */
const MAX_FILES = 64;
/** Characters kept of a front matter value. */
const MAX_VALUE_CHARS = 160;

/** One file; its text is not read beyond the front matter. */
export interface OtherGuidance {
  /** Workspace-relative. */
  readonly path: string;
  readonly bytes: number;
  /** What its front matter says; absent where it says nothing. */
  readonly description?: string;
  /** Patterns of the files it applies to, as written. */
  readonly appliesTo?: string;
}

/** Looks in every directory of `chain`. */
export function findOtherGuidance(workspace: Workspace, chain: readonly string[]): OtherGuidance[] {
  const paths = chain.flatMap((directory) => [
    ...OTHER_GUIDANCE_FILES.map((name) => pathIn(directory, name)),
    ...OTHER_GUIDANCE_DIRECTORIES.flatMap(({ path, ending }) => filesIn(workspace, pathIn(directory, path), ending)),
  ]);
  const found: OtherGuidance[] = [];
  for (const path of paths) {
    if (found.length === MAX_FILES || entryKind(workspace, path) !== "file") continue;
    const file = readInstructionFile(workspace, path);
    if (file.kind === "skipped") continue;
    const front = readFrontMatter(file.bytes);
    const { description, globs, applyTo } = front.kind === "read" ? front.values : {};
    const appliesTo = globs || applyTo;
    found.push({
      path: file.path,
      bytes: file.bytes.length,
      ...(description ? { description: bounded(description) } : {}),
      ...(appliesTo ? { appliesTo: bounded(appliesTo) } : {}),
    });
  }
  return found;
}

function filesIn(workspace: Workspace, directory: string, ending: string): string[] {
  if (entryKind(workspace, directory) !== "directory") return [];
  try {
    using handle = workspace.openDirectory(directory).handle;
    const names: string[] = [];
    for (const batch of handle.batches()) {
      for (const { name } of batch) if (name.endsWith(ending) && names.length < MAX_FILES) names.push(name);
    }
    return names.sort().map((name) => pathIn(directory, name));
  } catch (fault) {
    if (fault instanceof ToolError) return [];
    throw fault;
  }
}

function bounded(value: string): string {
  return value.replace(/\s+/g, " ").trim().slice(0, MAX_VALUE_CHARS);
}
