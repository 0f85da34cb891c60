/** `vise setup`: the configuration of one client for this executable and workspace, printed, written or taken back. */

import { existsSync } from "node:fs";
import { homedir, platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { nearestName } from "../base/nearest_name.ts";
import { LISTING } from "../catalog/listing_data.ts";
import { resolveConfig } from "../config/resolve_config.ts";
import { ConfigError } from "../config/setting.ts";
import type { CliScene } from "./command.ts";
import { type FlagUse, readFlags } from "./read_flags.ts";
import { ALL_CLIENTS } from "./setup/all_clients.ts";
import { BACKUP_ENDING, entryText, type Outcome, undoEntry, writeEntry } from "./setup/change_entry.ts";
import type { Client, Launch, Scope, SetupPlace } from "./setup/client.ts";
import { linkOnTheWay } from "./setup/config_file.ts";

/** Flags that choose another way of connecting than the one an entry describes. */
const NOT_FOR_AN_ENTRY: ReadonlySet<string> = new Set(["Transport", "HTTP"]);

/** Changes at most one file, and that only with `--write` or `--undo`. @throws ConfigError */
export async function setupCommand(scene: CliScene): Promise<number> {
  const { own, serverArgs } = splitArguments(scene.args);
  const { raw, rest, uses } = readFlags(serverArgs, {});
  const client = findClient(rest);
  for (const { flag } of uses) {
    if (NOT_FOR_AN_ENTRY.has(flag.category) && flag.name !== "stdio") {
      throw new ConfigError(`--${flag.name} is not for vise setup: clients start the server themselves over stdio`);
    }
  }
  const { workspace } = resolveConfig({ ...raw, stdio: true }, { ...scene, environment: withoutSettings(scene) });
  const scope = scopeOf(client, own.scope);
  const place = placeOf(scene, workspace);
  const path = own.file === undefined ? fileOf(client, scope, place) : resolve(scene.currentDirectory, own.file);
  if (own.undo) {
    return await report(scene, { client, path, outcome: undoEntry(client, checked(path, { scope, place })) });
  }
  const shown = raw.workspace === undefined && scope === "project" && own.file === undefined
    ? client.projectVariable ?? workspace
    : workspace;
  const launch = launchOf(scene, { uses, workspace: shown });
  if (own.write) {
    return await report(scene, { client, path, outcome: writeEntry(client, checked(path, { scope, place }), launch) });
  }
  await scene.out(entryText(client, launch));
  await scene.err(notes(client, { path, launch, scope }));
  return 0;
}

interface OwnFlags {
  readonly write: boolean;
  readonly undo: boolean;
  readonly scope?: string;
  readonly file?: string;
}

/** The flags of this subcommand, and the arguments that are left for the server. */
function splitArguments(args: readonly string[]): { own: OwnFlags; serverArgs: string[] } {
  const serverArgs: string[] = [];
  const values: Record<string, string> = {};
  const switches = new Set<string>();
  const pending = [...args];
  for (let arg = pending.shift(); arg !== undefined; arg = pending.shift()) {
    const [, name, value] = /^--(scope|file)(?:=(.*))?$/s.exec(arg) ?? [];
    if (arg === "--write" || arg === "--undo") switches.add(arg);
    else if (name === undefined) serverArgs.push(arg);
    else {
      const given = value ?? pending.shift();
      if (given === undefined || given === "") throw new ConfigError(`--${name} needs a value`);
      values[name] = given;
    }
  }
  if (switches.size === 2) throw new ConfigError("--write and --undo exclude each other");
  return { own: { write: switches.has("--write"), undo: switches.has("--undo"), ...values }, serverArgs };
}

function findClient(rest: readonly string[]): Client {
  const names = ALL_CLIENTS.map((client) => client.name);
  const [name, stray] = rest;
  if (name === undefined) throw new ConfigError(`vise setup needs the name of a client: ${names.join(", ")}`);
  if (stray !== undefined) throw new ConfigError(`unexpected argument ${stray}; see vise --help`);
  const client = ALL_CLIENTS.find((candidate) => candidate.name === name.toLowerCase());
  if (client !== undefined) return client;
  const nearest = nearestName(name, names);
  throw new ConfigError(
    `unknown client ${name}${nearest === null ? "" : `; did you mean ${nearest}?`} (known: ${names.join(", ")})`,
  );
}

function scopeOf(client: Client, asked: string | undefined): Scope {
  const scopes = Object.keys(client.files) as Scope[];
  if (asked === undefined) return scopes[0] as Scope;
  const scope = scopes.find((candidate) => candidate === asked);
  if (scope === undefined) {
    throw new ConfigError(`--scope of ${client.title} is ${scopes.join(" or ")}, not "${asked}"`);
  }
  return scope;
}

/** The places of clients by `process.platform`; every other system keeps to those of Linux. */
const OPERATING_SYSTEMS: Readonly<Record<string, SetupPlace["os"]>> = { win32: "windows", darwin: "darwin" };

function placeOf({ environment }: CliScene, project: string): SetupPlace {
  const home = environment["HOME"] ?? environment["USERPROFILE"] ?? homedir();
  return {
    os: OPERATING_SYSTEMS[platform()] ?? "linux",
    home,
    project,
    appData: environment["APPDATA"] ?? join(home, "AppData", "Roaming"),
    configHome: environment["XDG_CONFIG_HOME"] || join(home, ".config"),
    environment,
  };
}

function fileOf(client: Client, scope: Scope, place: SetupPlace): string {
  const path = client.files[scope]?.(place) as string;
  const other = (client.otherNames ?? []).map((name) => join(dirname(path), name)).find((name) => existsSync(name));
  return other !== undefined && !existsSync(path) ? other : path;
}

/** Security: a project may hold links that lead to the user's own files. */
function checked(path: string, { scope, place }: { scope: Scope; place: SetupPlace }): string {
  const link = scope === "project" ? linkOnTheWay(place.project, path) : null;
  if (link !== null) throw new ConfigError(`${link} is a symbolic link; to write behind it name the file with --file`);
  return path;
}

function launchOf({ self }: CliScene, { uses, workspace }: { uses: readonly FlagUse[]; workspace: string }): Launch {
  if (self.command === null) throw new ConfigError("the path of this program is not known without --allow-run");
  const [command, ...leading] = self.command as [string, ...string[]];
  const flags = uses.filter(({ flag }) => flag.name !== "workspace" && flag.name !== "stdio").flatMap(spelled);
  return { command, args: [...leading, "serve", "--workspace", workspace, ...flags] };
}

function spelled({ flag, value }: FlagUse): string[] {
  if (flag.value === null || (flag.valueOptional === true && value === "")) return [`--${flag.name}`];
  return flag.valueOptional === true ? [`--${flag.name}=${value}`] : [`--${flag.name}`, value];
}

/** What the server would read of this shell's variables is not what it reads when a client starts it. */
function withoutSettings({ environment }: CliScene): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:VISE|CODING_TOOLS_MCP)_/.test(name)),
  );
}

function notes(
  client: Client,
  { path, launch, scope }: { path: string; launch: Launch; scope: Scope },
): string {
  const tools = JSON.parse(LISTING) as { name: string; annotations: Record<string, unknown> }[];
  const readers = tools.filter((tool) => tool.annotations["readOnlyHint"] === true).map((tool) => tool.name);
  return [
    "",
    `${client.title}, ${scope} file: ${path}`,
    "Add --write to merge the entry above into it, --undo to take it out again.",
    ...(client.cliCommand === undefined ? [] : [`The client's own command: ${client.cliCommand(launch)}`]),
    `Afterwards: ${client.afterwards}`,
    `Approval: it ${client.approval.byDefault}. To allow tools: ${client.approval.where}.`,
    `Read-only tools: ${readers.join(", ")}.`,
    "",
  ].join("\n");
}

async function report(
  scene: CliScene,
  { client, path, outcome }: { client: Client; path: string; outcome: Outcome },
): Promise<number> {
  const words: Readonly<Record<Outcome, string>> = {
    written: `Wrote the entry to ${path}. ${
      existsSync(path + BACKUP_ENDING) ? `The file as it was: ${path}${BACKUP_ENDING}. ` : ""
    }${client.afterwards}`,
    unchanged: `${path} holds this entry already; nothing was changed.`,
    restored: `${path} is again what it was before.`,
    removed: `Took the entry out of ${path}, or put the earlier one back; everything else in it stays.`,
    deleted: `Removed ${path}, which held nothing but the entry.`,
    absent: `${path} has no entry of Vise; nothing was changed.`,
  };
  await scene.out(words[outcome] + "\n");
  return 0;
}
