/** Tool `list_dir`: what is in a directory, optionally some levels deep. */

import { displayPath } from "../base/path_text.ts";
import type { NextAction } from "../base/tool_error.ts";
import { listDirectory, type Listing, typeOf } from "../engine/listing/list_directory.ts";
import * as s from "../schema/schema.ts";
import { continuation } from "./_continuation.ts";
import { fitEntries } from "./_fit_entries.ts";
import { INCLUDE_ARGUMENTS, type ListPage, MAX_ENTRIES_BYTES, PAGE_FIELDS, renderList } from "./_list_view.ts";
import { timeText } from "./_time_text.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Levels of a recursive listing whose caller names none (contract D-10). */
const RECURSIVE_DEPTH = 3;
/** Contract O-6; long names end a page sooner. */
const DEFAULT_MAX_ENTRIES = 500;

const input = s.object({
  path: s.withDefault(s.string(), "."),
  recursive: s.withDefault(s.boolean(), false),
  max_depth: s.optional(s.integer({ min: 1, max: 20 })),
  max_entries: s.withDefault(s.integer({ min: 1, max: 10_000 }), DEFAULT_MAX_ENTRIES),
  offset: s.withDefault(s.integer({ min: 0 }), 0),
  ...INCLUDE_ARGUMENTS,
  sort: s.withDefault(s.enumeration(["name", "type", "modified"]), "name"),
});

type Input = s.Infer<typeof input>;

const output = s.openObject({
  path: s.optional(s.string()),
  entries: s.optional(s.array(s.openObject({
    name: s.string(),
    path: s.string(),
    type: s.enumeration(["file", "directory", "symlink", "other"]),
    kind: s.optional(s.string()),
    size_bytes: s.integer(),
    modified: s.string(),
    is_hidden: s.boolean(),
    is_ignored: s.boolean(),
    symlink_target: s.optional(s.string()),
    name_form: s.optional(s.string()),
  }))),
  offset: s.optional(s.integer()),
  total_entries: s.optional(s.integer()),
  ...PAGE_FIELDS,
  truncated: s.optional(s.boolean()),
});

interface Entry {
  name: string;
  path: string;
  type: "file" | "directory" | "symlink" | "other";
  kind?: string;
  size_bytes: number;
  modified: string;
  is_hidden: boolean;
  is_ignored: boolean;
  symlink_target?: string;
  name_form?: "escaped" | "lost";
}

type Output = ListPage & {
  entries: Entry[];
  total_entries: number;
};

/** Reads only, a page of entries at a time. */
export const listDir = defineTool<Input, Output>({
  name: "list_dir",
  title: "List directory",
  description: "List a directory. Hidden and git-ignored entries are left out unless asked for.",
  annotations: READ_ONLY,
  input,
  output,
  slips: { directory: "path", dir: "path", depth: "max_depth", limit: "max_entries", max_results: "max_entries" },

  async run(args, { engines, signal }) {
    const listing = await listDirectory(engines.workspace, args.path, {
      maxDepth: args.max_depth ?? (args.recursive ? RECURSIVE_DEPTH : 1),
      maxEntries: args.max_entries,
      offset: args.offset,
      includeHidden: args.include_hidden,
      includeIgnored: args.include_ignored,
      sort: args.sort,
      outer: await engines.outerRules(),
      signal,
    });
    const found = listing.entries.map(entryOf);
    // Whoever asks for more entries than usual gets them in one value (O-6).
    const entries = args.max_entries > DEFAULT_MAX_ENTRIES ? found : fitEntries(found, MAX_ENTRIES_BYTES);
    const isCut = entries.length < listing.entries.length;
    const isTruncated = listing.isTruncated || isCut;
    const warnings = warningsOf(listing, { isTruncated });
    return {
      path: listing.path,
      entries,
      offset: args.offset,
      total_entries: listing.total,
      total_is_exact: listing.isTotalExact,
      hidden_left_out: listing.hidden,
      ignored_left_out: listing.ignored,
      truncated: isTruncated,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(isTruncated
        ? { next_action: continued(args, args.offset + (isCut ? entries.length : args.max_entries)) }
        : {}),
    };
  },

  render(out, args) {
    return renderList(out, {
      noun: "entries",
      lines: out.entries.map(entryLine),
      total: out.total_entries,
      leftOut: "Left out",
      limitWarning: LIMIT_WARNING,
      continued: (offset) => continued(args, offset),
    });
  },
});

const LIMIT_WARNING = "entry limit reached";

function entryOf(entry: Listing["entries"][number]): Entry {
  const type = typeOf(entry.kind);
  return {
    name: entry.name,
    path: entry.path,
    type,
    ...(type === "other" ? { kind: entry.kind } : {}),
    size_bytes: entry.sizeBytes,
    modified: timeText(entry.modifiedMs),
    is_hidden: entry.isHidden,
    is_ignored: entry.isIgnored,
    ...(entry.linkTarget === null ? {} : { symlink_target: entry.linkTarget }),
    ...(entry.nameForm === "text" ? {} : { name_form: entry.nameForm }),
  };
}

function warningsOf(listing: Listing, { isTruncated }: { readonly isTruncated: boolean }): string[] {
  const lost = listing.entries.filter((entry) => entry.nameForm === "lost").length;
  return [
    ...(isTruncated ? [LIMIT_WARNING] : []),
    ...(listing.unreadable > 0 ? [`${listing.unreadable} directories could not be read`] : []),
    ...(lost > 0 ? [`${lost} names are not UTF-8 and cannot be addressed here (name_form lost)`] : []),
  ];
}

function continued(args: Input, offset: number): NextAction {
  return continuation("list_dir", args, { defaults: DEFAULTS, next: { offset } });
}

const DEFAULTS = { recursive: false, include_hidden: false, include_ignored: false, sort: "name" };

function entryLine(entry: Entry): string {
  const kind = entry.type === "other" ? entry.kind : entry.type;
  const target = entry.symlink_target === undefined ? "" : ` -> ${displayPath(entry.symlink_target)}`;
  const notes = [
    ...(entry.is_ignored ? ["ignored"] : []),
    ...(entry.name_form === "escaped" ? ["name is not UTF-8; pass it as shown"] : []),
    ...(entry.name_form === "lost" ? ["name is not UTF-8; not addressable"] : []),
  ];
  return `${displayPath(entry.path)} [${kind}]${target}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}
