/** The skills that are available to work on a target, nearest first (contract 9.3). */

import { createHash } from "node:crypto";
import { ToolError } from "../../base/tool_error.ts";
import { utf8Length } from "../../base/utf8.ts";
import { pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { entryKind } from "./entry_kind.ts";
import { readFrontMatter } from "./front_matter.ts";
import { SKILL_ROOTS } from "./instruction_names.ts";
import { readInstructionFile } from "./read_instruction_file.ts";

const SKILL_FILE = "SKILL.md";
/** Bounds of contract 9.3. */
const MAX_CANDIDATES = 512;
const MAX_ENTRIES_PER_ROOT = 4_096;
const MAX_SKILLS = 128;
const MAX_SKILL_BYTES = 32_768;
const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1_024;
/** Bytes of all skills in the answer, so that it stays below 64 KiB together with the rules (O-6). */
const MAX_LISTED_BYTES = 49_152;
/** Bytes of one skill in the answer besides its name, description and path (which appears twice). */
const ITEM_BYTES = 340;

/** One skill, as metadata; its body is not read. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Resolved path of its SKILL.md. */
  readonly path: string;
  /** Directory of the chain that it belongs to, and the skill root in it. */
  readonly directory: string;
  readonly root: string;
  readonly bytes: number;
  /** SHA-256 of its SKILL.md. */
  readonly revision: string;
  /** Path of the nearer skill of the same name; null when there is none. */
  readonly shadowedBy: string | null;
  /** Whether name or description was shortened. */
  readonly isMetadataCut: boolean;
}

/** Nearest first, at most as many as the bound allows. */
export interface Skills {
  readonly skills: readonly Skill[];
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
  readonly warnings: readonly string[];
}

/** Looks in the skill roots of every directory of `chain`, the nearest directory first. */
export function findSkills(workspace: Workspace, chain: readonly string[]): Skills {
  const search = new SkillSearch(workspace);
  for (const directory of chain.toReversed()) {
    for (const root of SKILL_ROOTS) {
      if (search.isFull) break;
      search.lookIn(directory, root);
    }
  }
  return search.result;
}

class SkillSearch {
  readonly #workspace: Workspace;
  readonly #skills: Skill[] = [];
  readonly #warnings: string[] = [];
  readonly #pathByName = new Map<string, string>();
  readonly #seen = new Set<string>();
  #candidates = 0;
  #listedBytes = 0;
  #isCut = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  get isFull(): boolean {
    return this.#isCut;
  }

  get result(): Skills {
    return { skills: this.#skills, isCut: this.#isCut, warnings: this.#warnings };
  }

  lookIn(directory: string, root: string): void {
    const place = pathIn(directory, root);
    if (entryKind(this.#workspace, place) === null) return;
    const budget = { entries: MAX_ENTRIES_PER_ROOT };
    for (const path of this.#skillFiles(place, budget)) {
      if (this.#isCut) return;
      this.#take(path, directory, root);
    }
    if (budget.entries < 0) this.#warnings.push(`Only ${MAX_ENTRIES_PER_ROOT} entries of ${place} were looked at.`);
  }

  /** `<name>/SKILL.md` and `<group>/<name>/SKILL.md`, sorted by path. */
  #skillFiles(place: string, budget: { entries: number }): string[] {
    const found: string[] = [];
    for (const name of this.#directories(place, budget)) {
      const first = pathIn(place, name);
      if (entryKind(this.#workspace, this.#resolved(first, SKILL_FILE)) !== null) {
        found.push(pathIn(first, SKILL_FILE));
        continue;
      }
      for (const below of this.#directories(first, budget)) {
        const second = pathIn(first, below);
        if (entryKind(this.#workspace, this.#resolved(second, SKILL_FILE)) !== null) {
          found.push(pathIn(second, SKILL_FILE));
        }
      }
    }
    return found.sort();
  }

  /** `name` in `directory` with the links of the directory followed, as far as they stay inside. */
  #resolved(directory: string, name: string): string {
    try {
      return pathIn(this.#workspace.resolveExisting(directory).path, name);
    } catch (fault) {
      if (fault instanceof ToolError) return pathIn(directory, name);
      throw fault;
    }
  }

  /** Names of the directories in `place`, links to directories inside the workspace included. */
  #directories(place: string, budget: { entries: number }): string[] {
    const names: string[] = [];
    try {
      using handle = this.#workspace.openDirectory(place).handle;
      for (const batch of handle.batches()) {
        for (const { name, kind } of batch) {
          if (--budget.entries < 0) return names.sort();
          const known = kind ?? handle.factsOf(name)?.kind;
          if (known === "directory" || (known === "symlink" && this.#leadsToDirectory(pathIn(place, name)))) {
            names.push(name);
          }
        }
      }
    } catch (fault) {
      if (fault instanceof ToolError) {
        if (fault.code !== "NOT_A_DIRECTORY") {
          this.#warnings.push(`Skipped skill directory: ${place}: ${reasonOf(fault)}`);
        }
      } else if (fault instanceof SystemError) {
        this.#warnings.push(`Skipped skill directory: ${place}: ${fault.errno}`);
      } else throw fault;
    }
    return names.sort();
  }

  #leadsToDirectory(path: string): boolean {
    try {
      return this.#workspace.resolveExisting(path).kind === "directory";
    } catch (fault) {
      if (!(fault instanceof ToolError)) throw fault;
      this.#warnings.push(`Skipped skill directory: ${path}: ${reasonOf(fault)}`);
      return false;
    }
  }

  #take(named: string, directory: string, root: string): void {
    if (++this.#candidates > MAX_CANDIDATES) return this.#cut(`Only ${MAX_CANDIDATES} skill files were looked at.`);
    const file = readInstructionFile(this.#workspace, named, MAX_SKILL_BYTES);
    if (file.kind === "skipped") return this.#skip(named, file.reason);
    if (this.#seen.has(file.identity)) return;
    this.#seen.add(file.identity);
    const front = readFrontMatter(file.bytes);
    if (front.kind === "invalid") return this.#skip(named, front.reason);
    const { name, description } = front.values;
    if (!name?.trim() || !description?.trim()) return this.#skip(named, "its front matter lacks name or description");
    const shown = { name: shortened(name, MAX_NAME_CHARS), description: shortened(description, MAX_DESCRIPTION_CHARS) };
    this.#listedBytes += ITEM_BYTES +
      utf8Length(JSON.stringify([shown.name.text, shown.description.text, file.path, file.path]));
    if (this.#skills.length === MAX_SKILLS) return this.#cut(`Only the first ${MAX_SKILLS} skills are listed.`);
    if (this.#listedBytes > MAX_LISTED_BYTES) {
      return this.#cut(`Only the first ${this.#skills.length} skills are listed: more would not fit the answer.`);
    }
    this.#skills.push({
      name: shown.name.text,
      description: shown.description.text,
      path: file.path,
      directory,
      root,
      bytes: file.bytes.length,
      revision: createHash("sha256").update(file.bytes).digest("hex"),
      shadowedBy: this.#pathByName.get(shown.name.text) ?? null,
      isMetadataCut: shown.name.isCut || shown.description.isCut,
    });
    if (!this.#pathByName.has(shown.name.text)) this.#pathByName.set(shown.name.text, file.path);
  }

  #skip(path: string, reason: string): void {
    this.#warnings.push(`Skipped skill: ${path}: ${reason}`);
  }

  #cut(warning: string): void {
    this.#isCut = true;
    this.#warnings.push(warning);
  }
}

function reasonOf(fault: ToolError): string {
  return fault.message.slice(fault.message.lastIndexOf(": ") + 2);
}

/** One line without control characters, cut between characters. */
function shortened(text: string, maxChars: number): { text: string; isCut: boolean } {
  // deno-lint-ignore no-control-regex -- control characters are what it looks for.
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, " ").trim();
  const characters = [...line];
  return { text: characters.slice(0, maxChars).join(""), isCut: characters.length > maxChars };
}
