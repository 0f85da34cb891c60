/** The instruction files that apply to a target, root first (contract 9.3). */

import { createHash } from "node:crypto";
import { countLines } from "../../base/fit_text.ts";
import { decodeUtf8 } from "../../base/utf8.ts";
import { directoryOf, pathIn } from "../../base/tree_path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { entryKind } from "./entry_kind.ts";
import { importedPaths } from "./imported_paths.ts";
import { RULE_NAMES } from "./instruction_names.ts";
import { readInstructionFile } from "./read_instruction_file.ts";

/** Rules that are listed (contract 9.3). */
const MAX_RULES = 64;

/** One instruction file, as metadata. */
export interface Rule {
  /** Resolved path. */
  readonly path: string;
  /** Directory of the chain that it was found in. */
  readonly directory: string;
  /** Where in the chain it lies. */
  readonly scope: "root" | "ancestor" | "target";
  readonly bytes: number;
  readonly totalLines: number;
  /** SHA-256 of its bytes. */
  readonly revision: string;
  /** Existing files of the workspace that it names by `@path`. */
  readonly imports: readonly string[];
}

/** Root first, at most as many as the bound allows. */
export interface Rules {
  readonly rules: readonly Rule[];
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
  readonly warnings: readonly string[];
}

/** Looks in every directory of `chain`; two names of one file count once. */
export function findRules(workspace: Workspace, chain: readonly string[]): Rules {
  const rules: Rule[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  for (const [index, directory] of chain.entries()) {
    for (const name of RULE_NAMES) {
      const named = pathIn(directory, name);
      if (entryKind(workspace, named) === null) continue;
      const file = readInstructionFile(workspace, named);
      if (file.kind === "skipped") {
        warnings.push(`Skipped rule: ${named}: ${file.reason}`);
        continue;
      }
      if (seen.has(file.identity)) continue;
      seen.add(file.identity);
      if (rules.length === MAX_RULES) {
        return { rules, isCut: true, warnings: [...warnings, `Only the first ${MAX_RULES} rules are listed.`] };
      }
      const text = decodeUtf8(file.bytes);
      rules.push({
        path: file.path,
        directory,
        scope: scopeAt(index, chain.length),
        bytes: file.bytes.length,
        totalLines: countLines(text),
        revision: createHash("sha256").update(file.bytes).digest("hex"),
        imports: existingImports(workspace, file.path, text),
      });
    }
  }
  return { rules, isCut: false, warnings };
}

function scopeAt(index: number, length: number): Rule["scope"] {
  if (index === 0) return "root";
  return index === length - 1 ? "target" : "ancestor";
}

/** References are relative to the file that holds them; what is missing, outside, or the file itself is left out. */
function existingImports(workspace: Workspace, path: string, text: string): string[] {
  const directory = directoryOf(path);
  const targets = importedPaths(text).flatMap((reference) => {
    if (reference.startsWith("/") || reference.startsWith("~")) return [];
    const target = withoutDots(pathIn(directory, reference));
    return target !== null && target !== path && entryKind(workspace, target) === "file" ? [target] : [];
  });
  return [...new Set(targets)];
}

/** `a/b/../c` as `a/c`; null when it leads above the root. */
function withoutDots(path: string): string | null {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") {
      if (steps.pop() === undefined) return null;
    } else if (step !== "" && step !== ".") steps.push(step);
  }
  return steps.join("/");
}
