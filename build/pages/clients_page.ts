/** `docs/clients.md`: how each client is set up, from the definitions that `vise setup` uses. */

import type { ListedTool } from "../../src/catalog/listing.ts";
import { ALL_CLIENTS } from "../../src/cli/setup/all_clients.ts";
import { entryText } from "../../src/cli/setup/change_entry.ts";
import type { Client, Launch, Scope, SetupPlace } from "../../src/cli/setup/client.ts";
import { fence, GENERATED, table } from "./markdown.ts";

const PLACES: readonly SetupPlace[] = (["linux", "darwin", "windows"] as const).map((os) => ({
  os,
  home: os === "windows" ? "%USERPROFILE%" : "~",
  project: "",
  appData: "%APPDATA%",
  configHome: "~/.config",
  environment: {},
}));

const SYSTEMS = { linux: "Linux", darwin: "macOS", windows: "Windows" } as const;

/** The page; `tools` are those whose approval the examples allow. */
export function clientsPage(tools: readonly ListedTool[]): string {
  const readers = tools.filter((tool) => tool.annotations["readOnlyHint"] === true).map((tool) => tool.name);
  const rest = tools.filter((tool) => !readers.includes(tool.name));
  return `# Clients

${GENERATED}

Any MCP client that starts a local server works: the command is the executable, the arguments are
\`serve --workspace DIRECTORY\` and whatever flags you want ([cli.md](cli.md)). For these ten there is \`vise setup\`:

${fence("sh runnable", SETUP_EXAMPLE)}

It prints the entry for this executable, this directory and the flags that you add. \`--write\` merges it into the client's
file: comments, layout and all other entries stay, the file as it was is kept beside it as \`….vise-backup\`, and writing
twice changes nothing. \`--undo\` takes the entry out again. A file that cannot be read, a symbolic link or a layout that
cannot be edited safely is refused and left alone.

${
    table(
      ["Client", "Name for setup", "Files"],
      ALL_CLIENTS.map((client) => [
        `[${client.title}](#${anchor(client)})`,
        `\`${client.name}\``,
        Object.keys(client.files).join(", "),
      ]),
    )
  }

## Which tools may run unasked

${readers.length} of ${tools.length} tools only read, and are annotated so (\`readOnlyHint\`): ${
    names(readers)
  }. They stay inside the
workspace and run none of its programs, so allowing them without a question is safe as far as you trust the model to read the
workspace.

The others change something:

${table(["Tool", "Why it asks"], rest.map((tool) => [`\`${tool.name}\``, WHY[tool.name] ?? "changes the workspace"]))}

Allowing \`exec_command\` without a question is a choice about the sandbox: see [permissions.md](permissions.md) and
[security.md](security.md) first.

${ALL_CLIENTS.map((client) => clientSection(client, readers)).join("\n\n")}
`;
}

const SETUP_EXAMPLE = `vise setup claude-code                 # prints the entry
vise setup claude-code --write         # merges it into the client's file
vise setup claude-code --undo          # takes it out again
vise setup codex --permission-mode trusted --write`;

const WHY: Readonly<Record<string, string>> = {
  apply_patch: "changes files",
  apply_changes: "changes files",
  exec_command: "runs a command, inside the sandbox of the permission mode",
  write_stdin: "types into a running command",
  kill_command: "ends a running command",
  request_permissions: "asks you to widen what commands may do; it grants nothing without your answer",
};

function clientSection(client: Client, readers: readonly string[]): string {
  const launch = launchFor(client);
  const example = client.approval.example(readers);
  const files = (Object.entries(client.files) as [Scope, (place: SetupPlace) => string][]).flatMap(([scope, file]) =>
    scope === "project"
      ? [["project", "all", `\`${file(PLACES[0] as SetupPlace).replace(/^\//, "")}\``]]
      : grouped(file).map(([systems, path]) => ["user", systems, `\`${path}\``])
  );
  return [
    `## ${client.title}`,
    table(["Scope", "System", "File"], files),
    fence(client.format, entryText(client, launch)),
    ...(client.cliCommand === undefined
      ? []
      : [`Its own command does the same:\n\n${fence("sh", client.cliCommand(launch))}`]),
    client.afterwards,
    `**Approval.** ${client.title} ${client.approval.byDefault}. To allow the read-only tools: ${client.approval.where}.`,
    ...(example === null ? [] : [fence(client.approval.language, example)]),
  ].join("\n\n");
}

function launchFor(client: Client): Launch {
  const project = Object.keys(client.files)[0] === "project" ? client.projectVariable : undefined;
  return { command: "/path/to/vise", args: ["serve", "--workspace", project ?? "/path/to/project"] };
}

/** Path → the systems on which it is that one. */
function grouped(file: (place: SetupPlace) => string): [string, string][] {
  const byPath = new Map<string, string[]>();
  for (const place of PLACES) {
    const path = file(place);
    byPath.set(path, [...(byPath.get(path) ?? []), SYSTEMS[place.os]]);
  }
  return [...byPath].map(([path, systems]) => [systems.join(", "), path]);
}

function anchor(client: Client): string {
  return client.title.toLowerCase().replaceAll(" ", "-");
}

function names(tools: readonly string[]): string {
  return tools.map((tool) => `\`${tool}\``).join(", ");
}
