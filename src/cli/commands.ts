/** Every subcommand by name, loaded when called: a server that starts pays for none of the others. */

import type { CliCommand } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly usage: string;
  readonly about: string;
  readonly load: () => Promise<CliCommand["run"]>;
}

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
    load: async () => (await import("./call_command.ts")).callCommand,
  },
  {
    name: "doctor",
    usage: "vise doctor [--json] [flags]",
    about: "show what is enforced on this host and why not; exit 1 when something asked for is not",
    load: async () => (await import("./doctor_command.ts")).doctorCommand,
  },
  {
    name: "tools",
    usage: "vise tools [--json|--markdown]",
    about: "list the tools",
    load: async () => (await import("./tools_command.ts")).toolsCommand,
  },
  {
    name: "completions",
    usage: "vise completions bash|zsh|fish",
    about: "print a completion script for a shell",
    load: async () => (await import("./completions_command.ts")).completionsCommand,
  },
];
