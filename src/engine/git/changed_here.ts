/** The difference that this server made, for a workspace without a repository (contract 3.15). */

import { compareText } from "../../base/compare_text.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import type { FirstBaseline } from "../patch/patch_engine.ts";
import { unifiedDiff } from "../patch/unified_diff.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { readOpen } from "./_read_open.ts";
import { BoundedText } from "./bounded_text.ts";
import type { DiffRequest, DiffResult } from "./diff.ts";
import { locateGitPath } from "./git_path.ts";
import type { FileChange } from "./patch_reader.ts";

/** What is compared with what. */
export interface ChangedHere {
  readonly workspace: Workspace;
  /** Content of every path before this process first changed it. */
  readonly baselines: ReadonlyMap<string, FirstBaseline>;
  readonly request: Pick<DiffRequest, "paths" | "contextLines" | "maxBytes" | "maxJsonBytes" | "skipLines">;
}

/** Files this process changed against what they were before, in order of their names. @throws ToolError with the path codes */
export async function diffOfChangesHere({ workspace, baselines, request }: ChangedHere): Promise<DiffResult> {
  const wanted = request.paths.map((path) => locateGitPath(workspace.root, path).path);
  const text = new BoundedText(request.maxBytes, request);
  const files: FileChange[] = [];
  const warnings = ["non-git diff fallback"];
  for (const [path, baseline] of [...baselines].sort(([a], [b]) => compareText(a, b))) {
    if (!isWanted(wanted, path)) continue;
    const after = await currentBytes(workspace, path);
    if (typeof after === "string") {
      warnings.push(`${path}: ${after}`);
      continue;
    }
    const sides = [{ path, bytes: baseline.bytes }, { path, bytes: after }] as const;
    const diff = await unifiedDiff(sides[0], sides[1], { contextLines: request.contextLines });
    if (diff === "") continue;
    text.addText(encodeUtf8(diff));
    files.push({ path, ...factsOf(diff, { before: baseline.bytes, after }) });
  }
  if (text.truncatedBy !== "") warnings.unshift("diff truncated");
  return { diff: text.text(), files, truncatedBy: text.truncatedBy, lines: text.lines, bytes: text.bytes, warnings };
}

function isWanted(wanted: readonly string[], path: string): boolean {
  return wanted.length === 0 || wanted.some((place) => place === "." || place === path || path.startsWith(place + "/"));
}

/** Null when the file is gone; a sentence when it cannot be read. */
async function currentBytes(workspace: Workspace, path: string): Promise<Uint8Array | null | string> {
  try {
    using file = workspace.openFile(path).handle;
    return await readOpen(file);
  } catch (fault) {
    const code = (fault as { code?: string }).code ?? "";
    if (code === "NOT_FOUND") return null;
    return `cannot be read (${code || "unknown"})`;
  }
}

function factsOf(
  diff: string,
  { before, after }: { before: Uint8Array | null; after: Uint8Array | null },
): Omit<FileChange, "path"> {
  let status: FileChange["status"] = "modified";
  if (before === null) status = "added";
  else if (after === null) status = "deleted";
  if (diff.startsWith("Binary files ") || !diff.includes("\n@@ ")) {
    return { status, binary: diff.startsWith("Binary files "), additions: 0, removals: 0 };
  }
  let additions = 0;
  let removals = 0;
  for (const line of diff.slice(diff.indexOf("\n@@ ") + 1).split("\n")) {
    if (line.startsWith("+")) additions++;
    else if (line.startsWith("-")) removals++;
  }
  return { status, binary: false, additions, removals };
}
