/** Tool `list_dir`: what is in a directory, optionally some levels deep. */

import { displayPath } from "../base/path_text.ts";
import { fitLinesFromStart } from "../base/fit_text.ts";
import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import { utf8Length } from "../base/utf8.ts";
import { listDirectory, type Listing, typeOf } from "../engine/listing/list_directory.ts";
import * as s from "../schema/schema.ts";
import { fitEntries } from "./_fit_entries.ts";
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
  include_hidden: s.withDefault(s.boolean(), false),
  include_ignored: s.withDefault(s.boolean(), false),
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
  total_is_exact: s.optional(s.boolean()),
  hidden_left_out: s.optional(s.integer()),
  ignored_left_out: s.optional(s.integer()),
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

type Output = {
  path: string;
  entries: Entry[];
  offset: number;
  total_entries: number;
  total_is_exact: boolean;
  hidden_left_out: number;
  ignored_left_out: number;
  truncated: boolean;
  warnings?: string[];
  next_action?: NextAction;
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
    const entries = args.max_entries > DEFAULT_MAX_ENTRIES ? found : fitEntries(found, MAX_ENTRY_BYTES);
    const isCut = entries.length < listing.entries.length;
    const isTruncated = listing.isTruncated || isCut;
    const warnings = warningsOf(listing, isTruncated);
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
        ? { next_action: continuation(args, args.offset + (isCut ? entries.length : args.max_entries)) }
        : {}),
    };
  },

  render(out, args) {
    const body = out.entries.map(entryLine).join("\n");
    const tail = out.next_action === undefined ? "" : truncationLine(out, out.next_action);
    return {
      body: out.entries.length === 0 ? emptyLine(out) : body,
      foot: [tail, ...footLines(out)].filter((line) => line !== "").join("\n"),
      shorten: (budgetBytes) => shorten(out, args, { body, budgetBytes: budgetBytes + utf8Length(tail) }),
    };
  },
});

/** Bytes of entries in the structured value unless more entries than usual were asked for (O-6). */
const MAX_ENTRY_BYTES = 62_000;
/** Room for the notice of a shortened text, besides the path in its continuation. */
const NOTICE_BYTES = 400;

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

function warningsOf(listing: Listing, isTruncated: boolean): string[] {
  const lost = listing.entries.filter((entry) => entry.nameForm === "lost").length;
  return [
    ...(isTruncated ? ["entry limit reached"] : []),
    ...(listing.unreadable > 0 ? [`${listing.unreadable} directories could not be read`] : []),
    ...(lost > 0 ? [`${lost} names are not UTF-8 and cannot be addressed here (name_form lost)`] : []),
  ];
}

function continuation(args: Input, offset: number): NextAction {
  const { path, recursive, max_depth, max_entries, include_hidden, include_ignored, sort } = args;
  return {
    tool: "list_dir",
    arguments: {
      path,
      ...(recursive ? { recursive } : {}),
      ...(max_depth === undefined ? {} : { max_depth }),
      max_entries,
      offset,
      ...(include_hidden ? { include_hidden } : {}),
      ...(include_ignored ? { include_ignored } : {}),
      ...(sort === "name" ? {} : { sort }),
    },
  };
}

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

function emptyLine(out: Output): string {
  return out.offset > 0 && out.total_entries > 0
    ? `No entries found at offset ${out.offset}: there are ${out.total_entries}.`
    : "No entries found.";
}

function truncationLine(out: Output, next: NextAction): string {
  const total = out.total_is_exact ? `${out.total_entries}` : `at least ${out.total_entries}`;
  const first = out.offset + 1;
  const last = out.offset + out.entries.length;
  return `… results truncated; entries ${first}-${last} of ${total}; continue with ${renderAction(next)}`;
}

function footLines(out: Output): string[] {
  const leftOut = [
    ...(out.hidden_left_out > 0 ? [`${out.hidden_left_out} hidden (include_hidden)`] : []),
    ...(out.ignored_left_out > 0 ? [`${out.ignored_left_out} ignored (include_ignored)`] : []),
  ];
  const warnings = (out.warnings ?? []).filter((warning) => warning !== "entry limit reached");
  return [
    ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join(", ")}.`]),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}

/** Whole entries from the start; the notice takes the place of the line about truncation. */
function shorten(
  out: Output,
  args: Input,
  { body, budgetBytes }: { body: string; budgetBytes: number },
): { body: string; foot: string } {
  const fitted = fitLinesFromStart(body, budgetBytes - NOTICE_BYTES - utf8Length(args.path));
  const shown = fitted.wholeLines;
  const next = continuation(args, args.offset + shown);
  const notice = truncationLine({ ...out, entries: out.entries.slice(0, shown) }, next);
  return { body: `${fitted.text}${notice}`, foot: footLines(out).join("\n") };
}
