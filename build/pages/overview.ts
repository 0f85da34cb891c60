/** `llms.txt`: what there is to read, for a model that was given only this file. */

import { readdirSync, readFileSync } from "node:fs";

const HEAD = `# Vise

> MCP server in one executable that gives an agent files, search, patches, commands in a kernel sandbox, git and images of one
> workspace.

Start it with \`vise serve --workspace DIRECTORY\` (stdio) or \`vise --http\`. Call one tool from a shell with
\`vise call TOOL JSON\`. Twenty tools; file and git tools stay inside the workspace, commands run under \`--permission-mode safe\`
unless told otherwise.
`;

const SECTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Using it": {
    quickstart: "from the executable to a working client",
    clients: "configuration of ten clients, and which tools may run unasked",
    tools: "arguments, fields and a real example of every tool",
    patches: "how patches are written and placed",
    errors: "every code, its meaning and the next step",
    permissions: "modes and finer settings",
    cli: "subcommands and flags",
    troubleshooting: "when something does not work",
  },
  "What it promises": {
    security: "promises, mechanisms, the tests that attack them, what is not stopped",
    sandbox: "how a command is confined",
    limits: "what it does not do",
    protocol: "revisions, transports, conformance",
    contract: "behaviour, section by section",
    compatibility: "against the server whose clients keep working",
    benchmarks: "measurements, and how to repeat them",
    realwork: "five npm packages broken and repaired through it",
  },
  "Changing it": {
    architecture: "the rooms, and one call through them",
    decisions: "numbered, with reasons",
    dependencies: "packages and what was weighed",
    coverage: "lines that the tests reach, room by room",
    mutation: "small faults that the tests notice, and the few that make no difference",
    releasing: "executables, sums, provenance",
  },
};

/** The text; a page of docs/ that no section names is listed last. */
export function overviewPage(): string {
  const present = readdirSync("docs").filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3)).sort();
  const known = new Set(Object.values(SECTIONS).flatMap((section) => Object.keys(section)));
  const further = present.filter((name) => !known.has(name));
  const parts = Object.entries(SECTIONS).map(([title, section]) => {
    const lines = Object.entries(section).filter(([name]) => present.includes(name))
      .map(([name, about]) => `- [${titleOf(name)}](docs/${name}.md): ${about}`);
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  if (further.length > 0) {
    parts.push(`## More\n\n${further.map((name) => `- [${titleOf(name)}](docs/${name}.md)`).join("\n")}\n`);
  }
  return [HEAD, ...parts].join("\n");
}

function titleOf(name: string): string {
  return /^# (.+)$/m.exec(readFileSync(`docs/${name}.md`, "utf8"))?.[1] ?? name;
}
