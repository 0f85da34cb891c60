/** The help text, made from the definitions of flags and subcommands. */

import { PRODUCT } from "../base/product.ts";
import { type CommandFlag, COMMANDS } from "./commands.ts";
import type { Flag, FlagCategory } from "./flag.ts";
import { ALL_FLAGS } from "./flags/all_flags.ts";

const CATEGORIES: readonly FlagCategory[] = [
  "Workspace",
  "Transport",
  "Permissions",
  "Commands",
  "Limits",
  "HTTP",
  "Results",
];

/** What `vise --help` prints, with its final newline. */
export function helpText(): string {
  const lines = [
    `${PRODUCT.title} ${PRODUCT.version}: file, search, patch, command and git tools for one workspace, as an MCP server`,
    "",
    "Usage:",
    ...COMMANDS.flatMap((command) => [
      `  ${command.usage}`,
      `      ${command.about}`,
      ...(command.flags ?? []).map((flag) => `      ${commandFlag(flag)}`),
    ]),
    "  vise --version | --help",
  ];
  for (const category of CATEGORIES) {
    lines.push("", `${category}:`);
    for (const flag of ALL_FLAGS.filter((candidate) => candidate.category === category)) lines.push(flagLine(flag));
  }
  lines.push("", "A flag has a variable VISE_… of the name shown in brackets; the flag wins.", "");
  return lines.join("\n");
}

function commandFlag({ name, value, choices, about }: CommandFlag): string {
  return `--${name}${value === null ? "" : ` ${choices?.join("|") ?? value}`}: ${about}`;
}

/** `--name VALUE`, what it does, its default and its variable. */
function flagLine(flag: Flag): string {
  return `  ${spelling(flag)}\n      ${flag.about} (default: ${flag.fallback})${
    flag.env === null ? "" : ` [VISE_${flag.env}]`
  }`;
}

function spelling(flag: Flag): string {
  if (flag.value === null) return `--${flag.name}`;
  const value = flag.choices === undefined ? flag.value : flag.choices.join("|");
  return flag.valueOptional ? `--${flag.name} [${value}]` : `--${flag.name} ${value}`;
}
