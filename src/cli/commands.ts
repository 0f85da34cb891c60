/** Every subcommand by name, loaded when called: a server that starts pays for none of the others. */

import type { CliCommand } from "./command.ts";

/** A subcommand before it is loaded: what the help and the completions show of it. */
export interface CommandEntry {
  readonly name: string;
  /** How it is called, for the help. */
  readonly usage: string;
  /** One line for the help. */
  readonly about: string;
  /** Its own flags, beside those of the server. */
  readonly flags?: readonly CommandFlag[];
  readonly load: () => Promise<CliCommand["run"]>;
}

/** A flag that only one subcommand takes. */
export interface CommandFlag {
  /** Long name without dashes. */
  readonly name: string;
  /** How the value is shown; null: the flag takes none. */
  readonly value: string | null;
  /** Allowed values, for the help and the completions. */
  readonly choices?: readonly string[];
  /** One line for the help. */
  readonly about: string;
}

/** The subcommands in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "serve",
    usage: "vise [serve] [flags]",
    about: "serve one workspace to an MCP client (the default)",
    load: async () => (await import("./serve_command.ts")).serveCommand,
  },
  {
    name: "call",
    usage: "vise call TOOL [JSON|-] [--json] [flags]",
    about: "make one tool call and print its text; exit 0 ok, 1 tool error, 2 usage",
    flags: [{ name: "json", value: null, about: "print the structured value instead of the text" }],
    load: async () => (await import("./call_command.ts")).callCommand,
  },
  {
    name: "doctor",
    usage: "vise doctor [--json] [flags]",
    about: "show what is enforced on this host and why not; exit 1 when something asked for is not",
    flags: [{ name: "json", value: null, about: "print the rows as JSON" }],
    load: async () => (await import("./doctor_command.ts")).doctorCommand,
  },
  {
    name: "setup",
    usage: "vise setup CLIENT [--write|--undo] [--scope project|user] [--file FILE] [flags]",
    about: "print the entry of a client's configuration for this executable, workspace and flags",
    flags: [
      { name: "write", value: null, about: "merge the entry into the client's file and keep a backup" },
      { name: "undo", value: null, about: "take the entry out of the client's file again" },
      {
        name: "scope",
        value: "SCOPE",
        choices: ["project", "user"],
        about: "which of the client's files: that of the project or that of the user",
      },
      { name: "file", value: "FILE", about: "another file than the client's usual one" },
    ],
    load: async () => (await import("./setup_command.ts")).setupCommand,
  },
  {
    name: "tools",
    usage: "vise tools [--json|--markdown]",
    about: "list the tools",
    flags: [
      { name: "json", value: null, about: "print the definitions as clients get them" },
      { name: "markdown", value: null, about: "print a table" },
    ],
    load: async () => (await import("./tools_command.ts")).toolsCommand,
  },
  {
    name: "completions",
    usage: "vise completions bash|zsh|fish",
    about: "print a completion script for a shell",
    load: async () => (await import("./completions_command.ts")).completionsCommand,
  },
];
