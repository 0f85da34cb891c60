/** Reads the YAML between `---` lines at the start of a file (contract 9.3). */

import { parseDocument } from "yaml";
import { decodeUtf8 } from "../../base/utf8.ts";

/** Bytes in which the front matter must end (contract 9.3). */
const MAX_FRONT_MATTER_BYTES = 8_192;

/** What could be read; `reason` ends a sentence about the file. */
export type FrontMatter =
  | { readonly kind: "read"; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: "invalid"; readonly reason: string };

/** The scalar values of the front matter as text; lists and maps are left out. Never throws. */
export function readFrontMatter(bytes: Uint8Array): FrontMatter {
  const text = decodeUtf8(bytes.subarray(0, MAX_FRONT_MATTER_BYTES)).replace(/^\ufeff/, "");
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) {
    const opened = /^---[ \t]*\r?\n/.test(text);
    return invalid(opened ? "its front matter has no end in the first 8 KiB" : "it has no front matter");
  }
  try {
    // Security: the failsafe schema makes every scalar a string, and without aliases no few lines grow to gigabytes.
    const document = parseDocument(match[1] as string, { schema: "failsafe", merge: false, stringKeys: true });
    const [fault] = document.errors;
    if (fault !== undefined) return invalid(`its front matter is not valid YAML: ${firstLine(fault.message)}`);
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return invalid("its front matter is not a mapping");
    }
    const scalars = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return { kind: "read", values: Object.fromEntries(scalars) };
  } catch (fault) {
    return invalid(`its front matter cannot be read: ${firstLine(fault instanceof Error ? fault.message : "")}`);
  }
}

function invalid(reason: string): FrontMatter {
  return { kind: "invalid", reason };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 200) ?? "";
}
