/** One file of a call as it would be after it. */

import { Buffer } from "node:buffer";
import { directoryOf, nameOf } from "../../base/tree_path.ts";
import type { Pacer } from "../../base/pacer.ts";
import type { FileFacts } from "../../platform/file_facts.ts";
import type { ExtendedAttribute } from "../../platform/write_tree.ts";
import { countLinesOf, revisionOf } from "./read_content.ts";
import { formatText, parseText, type TextLines, totalLines } from "./text_lines.ts";

/** A file as it was when the call first looked at it. */
export interface Baseline {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of `bytes`, lower-case hexadecimal. */
  readonly revision: string;
  readonly facts: FileFacts;
  readonly attributes: readonly ExtendedAttribute[];
}

/** What a file carries besides its bytes; a move takes it along. */
export interface FileNature {
  /** The twelve permission bits. */
  readonly mode: number;
  /** Null: whoever writes it. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly attributes: readonly ExtendedAttribute[];
}

/** What is known of a staged file once nothing changes it any more. */
interface Settled {
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly revision: string;
  readonly totalLines: number;
  readonly isChanged: boolean;
}

/** The file at one resolved path; operations of a call follow each other on it. */
export class StagedFile {
  /** Relative to the root. */
  readonly path: string;
  /** `path` without its last component, `.` at the top. */
  readonly directory: string;
  readonly name: string;
  /** Null when nothing was there. */
  readonly baseline: Baseline | null;
  readonly #pacer: Pacer;
  /** Null: the file would not exist. Undefined: `#text` has the content. */
  #bytes: Uint8Array<ArrayBuffer> | null | undefined;
  #nature: FileNature;
  #text: TextLines | null = null;
  #settled: Settled | null = null;
  /** True once an earlier operation of the same call removed it. */
  wasDeleted = false;

  constructor(path: string, baseline: Baseline | null, options: { readonly pacer: Pacer }) {
    this.path = path;
    this.directory = directoryOf(path);
    this.name = nameOf(path);
    this.baseline = baseline;
    this.#pacer = options.pacer;
    this.#bytes = baseline?.bytes ?? null;
    this.#nature = baseline === null ? NEW_FILE : natureOf(baseline);
  }

  /** Whether there would be a file. */
  get exists(): boolean {
    return this.#bytes !== null;
  }

  /** What the file would carry besides its bytes. */
  get nature(): FileNature {
    return this.#nature;
  }

  /** Lines of the staged content, which must exist. @throws ToolError UNSUPPORTED_ENCODING */
  async text(): Promise<TextLines> {
    this.#text ??= await parseText(this.#bytes as Uint8Array, this.path, { pacer: this.#pacer });
    return this.#text;
  }

  /** Bytes of the staged content, which must exist. */
  async content(): Promise<Uint8Array<ArrayBuffer>> {
    this.#bytes ??= await formatText(this.#text as TextLines, { pacer: this.#pacer });
    return this.#bytes;
  }

  /** Lines of the staged content as `read_file` counts them; 0 when it does not exist. */
  async countLines(): Promise<number> {
    if (!this.exists) return 0;
    return this.#text === null ? await countLinesOf(await this.content(), this.#pacer) : totalLines(this.#text);
  }

  /** Stages new content, and what it carries where that is given. */
  write(bytes: Uint8Array<ArrayBuffer>, nature?: FileNature): void {
    this.#become(bytes, null);
    if (nature !== undefined) this.#nature = nature;
  }

  /** The bytes are made from `text` when they are needed, so that a chain of edits makes them once. */
  writeText(text: TextLines): void {
    this.#become(undefined, text);
  }

  /** Stages its removal. */
  remove(): void {
    this.#become(null, null);
    this.wasDeleted = true;
  }

  /** Works out what `bytes`, `revision`, `totalLines` and `isChanged` answer; needed after the last change. */
  async settle(): Promise<void> {
    if (this.#settled !== null) return;
    const before = this.baseline;
    if (!this.exists) {
      this.#settled = { bytes: null, revision: "", totalLines: 0, isChanged: before !== null };
      return;
    }
    const bytes = await this.content();
    // The very array of the baseline needs no second digest.
    const revision = bytes === before?.bytes ? before.revision : await revisionOf(bytes, this.#pacer);
    const isChanged = revision !== before?.revision || this.#nature.mode !== before.facts.mode;
    this.#settled = { bytes, revision, totalLines: await this.countLines(), isChanged };
  }

  /** Content it will have; null when it will not exist. */
  get bytes(): Uint8Array<ArrayBuffer> | null {
    return this.#known.bytes;
  }

  /** SHA-256 of the content; empty when there is none. */
  get revision(): string {
    return this.#known.revision;
  }

  /** Lines as `read_file` counts them; 0 when there is none. */
  get totalLines(): number {
    return this.#known.totalLines;
  }

  /** True if committing would change the file or its mode. */
  get isChanged(): boolean {
    return this.#known.isChanged;
  }

  get #known(): Settled {
    if (this.#settled === null) throw new Error(`${this.path} is not settled`);
    return this.#settled;
  }

  #become(bytes: Uint8Array<ArrayBuffer> | null | undefined, text: TextLines | null): void {
    this.#bytes = bytes;
    this.#text = text;
    this.#settled = null;
  }
}

/** True when both hold the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && (a === b || Buffer.from(a.buffer, a.byteOffset, a.length).equals(b));
}

/** Contract 7.2: new files get 0644, whatever the umask. */
const NEW_FILE: FileNature = { mode: 0o644, owner: null, attributes: [] };

function natureOf(baseline: Baseline): FileNature {
  return {
    mode: baseline.facts.mode,
    owner: { uid: baseline.facts.uid, gid: baseline.facts.gid },
    attributes: baseline.attributes.filter((attribute) => isKept(attribute.name)),
  };
}

/** The kernel itself drops file capabilities and signatures when a file is written (capabilities(7)); so does a patch. */
function isKept(attribute: string): boolean {
  return attribute.startsWith("user.") || attribute === "system.posix_acl_access" || attribute === "security.selinux";
}
