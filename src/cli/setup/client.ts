/** What `vise setup` knows of one client: where its configuration lives, how an entry looks, how its user approves tools. */

/** Whose configuration: one project's, or the user's for all projects. */
export type Scope = "project" | "user";

/** Any JSON value that an entry holds. */
export type EntryValue = string | boolean | readonly string[];

/** How the client starts the server. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where the person works; the paths of configuration files are made from it. */
export interface SetupPlace {
  readonly os: "linux" | "darwin" | "windows";
  /** Home directory, absolute. */
  readonly home: string;
  /** Directory of the project, absolute. */
  readonly project: string;
  /** `%APPDATA%` on Windows. */
  readonly appData: string;
  /** `$XDG_CONFIG_HOME`, else `~/.config`. */
  readonly configHome: string;
  /** The client's own variable that moves its configuration, if set. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One client; a file under `src/cli/setup` per maker. */
export interface Client {
  /** What is typed: `vise setup NAME`. */
  readonly name: string;
  /** Name as its maker writes it. */
  readonly title: string;
  readonly format: "json" | "toml";
  /** File per scope, the default first; a scope that is missing does not exist. */
  readonly files: Readonly<Partial<Record<Scope, (place: SetupPlace) => string>>>;
  /** Other names under which the file may be there already, tried first when they exist. */
  readonly otherNames?: readonly string[];
  /** Keys that lead to the object of servers. */
  readonly container: readonly string[];
  /** The keys of an entry that are ours; every other key of an existing entry stays. */
  entry(launch: Launch): Readonly<Record<string, EntryValue>>;
  /** How the client writes the opened project in a project file; undefined: the absolute path is written. */
  readonly projectVariable?: string;
  /** Command of the client that does the same. */
  cliCommand?(launch: Launch): string;
  /** What to do after the file was changed. */
  readonly afterwards: string;
  /** How its user allows the tools of a server. */
  readonly approval: Approval;
}

/** How the user of a client lets tools run without being asked. */
export interface Approval {
  /** What the client does if nothing is configured. */
  readonly byDefault: string;
  /** Where the read-only tools are allowed. */
  readonly where: string;
  /** Language of the example for the documentation. */
  readonly language: "json" | "toml" | "text";
  /** Configuration that lets the named tools run without a question; null: only its own window can. */
  example(tools: readonly string[]): string | null;
}

/** Name of the server in every configuration. */
export const SERVER_NAME = "vise";

/** The form that most clients share. */
export function plainEntry({ command, args }: Launch): Readonly<Record<string, EntryValue>> {
  return { command, args };
}

/** One word of a command line for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Command line of a launch for a POSIX shell. */
export function shellLine({ command, args }: Launch): string {
  return [command, ...args].map(shellWord).join(" ");
}

/** Appends parts to a directory with the separator of the system in question. */
export function under(place: SetupPlace, directory: string, ...parts: readonly string[]): string {
  const separator = place.os === "windows" ? "\\" : "/";
  return [directory, ...parts].join(separator);
}
