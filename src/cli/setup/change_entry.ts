/** Puts the server's entry into a client's file, and takes it out again. */

import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../../config/setting.ts";
import type { Client, EntryValue, Launch } from "./client.ts";
import { SERVER_NAME } from "./client.ts";
import { type ConfigFile, readConfigFile, removeFile, replaceConfigFile, writeBackup } from "./config_file.ts";
import { type ConfigText, ConfigTextFault, isRecord, valueAt, withoutPath } from "./config_text.ts";
import { JSON_TEXT } from "./json_text.ts";
import { TOML_TEXT } from "./toml_text.ts";

/** What became of the file; `deleted`: nothing but the entry had been in it; `absent`: there was no entry. */
export type Outcome = "written" | "unchanged" | "restored" | "removed" | "deleted" | "absent";

/** Ending of the copy that is kept from before the first change. */
export const BACKUP_ENDING = ".vise-backup";

/** The entry alone, as a whole file would hold it. */
export function entryText(client: Client, launch: Launch): string {
  return textOf(client).put("", entryPath(client), client.entry(launch)).trimEnd() + "\n";
}

/** Merges the entry into the file. @throws ConfigError when that could lose anything */
export function writeEntry(client: Client, path: string, launch: Launch): Outcome {
  const file = readConfigFile(path);
  const before = file.text ?? "";
  const after = edited(client, file, (text) => textOf(client).put(text, entryPath(client), client.entry(launch)));
  if (file.text !== null && after === before) return "unchanged";
  if (file.text !== null) {
    const isFirst = valueAt(textOf(client).parse(before), entryPath(client)) === undefined;
    writeBackup(file, { path: path + BACKUP_ENDING, replace: isFirst });
  }
  replaceConfigFile(file, after);
  return "written";
}

/** Takes the entry out; the file becomes what it was if nothing else was changed since. @throws ConfigError */
export function undoEntry(client: Client, path: string): Outcome {
  const file = readConfigFile(path);
  const present = file.text === null ? undefined : parsed(client, file);
  const entry = valueAt(present, entryPath(client));
  if (file.text === null || entry === undefined) return "absent";
  const backup = readConfigFile(path + BACKUP_ENDING);
  if (backup.text !== null && isOnlyOurChange(client, { before: backup.text, now: file.text, entry })) {
    replaceConfigFile(file, backup.text);
    removeFile(backup.path);
    return "restored";
  }
  if (
    backup.text === null && isDeepStrictEqual(withoutPath(present, entryPath(client)), {}) && !hasComment(file.text)
  ) {
    removeFile(path);
    return "deleted";
  }
  const former = backup.text === null ? undefined : valueAt(parsed(client, backup), entryPath(client));
  replaceConfigFile(file, edited(client, file, (text) => withFormer(client, text, former)));
  return "removed";
}

/** Without our entry, or with our keys of the entry that was there before under this name. */
function withFormer(client: Client, text: string, former: unknown): string {
  const path = entryPath(client);
  return isRecord(former) ? textOf(client).put(text, path, ownKeys(client, former)) : textOf(client).remove(text, path);
}

function isOnlyOurChange(
  client: Client,
  { before, now, entry }: { before: string; now: string; entry: unknown },
): boolean {
  if (!isRecord(entry)) return false;
  try {
    return textOf(client).put(before, entryPath(client), ownKeys(client, entry)) === now;
  } catch (fault) {
    if (fault instanceof ConfigTextFault) return false;
    throw fault;
  }
}

/** What of an entry is written by us; the rest belongs to the user. */
function ownKeys(client: Client, entry: Record<string, unknown>): Record<string, EntryValue> {
  const keys = Object.keys(client.entry({ command: "", args: [] }));
  return Object.fromEntries(
    keys.filter((key) => isEntryValue(entry[key])).map((key) => [key, entry[key] as EntryValue]),
  );
}

/** Edits and looks again: everything but our entry must have the value that it had. */
function edited(client: Client, file: ConfigFile, edit: (text: string) => string): string {
  const before = file.text ?? "";
  try {
    const valueBefore = textOf(client).parse(before);
    const after = edit(before);
    const others = (document: unknown) => withoutPath(document, entryPath(client));
    if (!isDeepStrictEqual(others(textOf(client).parse(after)), others(valueBefore))) {
      throw new ConfigTextFault("its layout is one that cannot be edited safely");
    }
    return after;
  } catch (fault) {
    throw refusal(fault, file.path);
  }
}

function parsed(client: Client, file: ConfigFile): unknown {
  try {
    return textOf(client).parse(file.text ?? "");
  } catch (fault) {
    throw refusal(fault, file.path);
  }
}

function refusal(given: unknown, path: string): unknown {
  // What runs out of stack is the parser, on thousands of brackets inside each other.
  const fault = given instanceof RangeError ? new ConfigTextFault("it nests too deeply") : given;
  if (!(fault instanceof ConfigTextFault)) return fault;
  return new ConfigError(
    `cannot edit ${path}: ${fault.message}; it was left as it is, correct it or paste the entry by hand`,
  );
}

function textOf(client: Client): ConfigText {
  return client.format === "toml" ? TOML_TEXT : JSON_TEXT;
}

function entryPath(client: Client): string[] {
  return [...client.container, SERVER_NAME];
}

function isEntryValue(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" ||
    (Array.isArray(value) && value.every((item) => typeof item === "string"));
}

function hasComment(text: string): boolean {
  return /^\s*(?:#|\/\/|\/\*)/m.test(text);
}
