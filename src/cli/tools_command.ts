/** `vise tools`: the catalog as a list, as JSON or as the table of the documentation. */

import type { ListedTool } from "../catalog/listing.ts";
import { LISTING } from "../catalog/listing_data.ts";
import { ConfigError } from "../config/setting.ts";
import type { CliScene } from "./command.ts";

/** Prints the checked-in listing; it needs no workspace and starts nothing. */
export async function toolsCommand(scene: CliScene): Promise<number> {
  const [form, stray] = scene.args;
  if (stray !== undefined || (form !== undefined && form !== "--json" && form !== "--markdown")) {
    throw new ConfigError("vise tools takes --json or --markdown");
  }
  const tools = JSON.parse(LISTING) as ListedTool[];
  if (form === "--json") await scene.out(JSON.stringify(tools, null, 2) + "\n");
  else await scene.out(form === "--markdown" ? toolTable(tools) : plainList(tools));
  return 0;
}

/** Markdown table: tool, what it does in one sentence, what it may change. */
export function toolTable(tools: readonly ListedTool[]): string {
  const rows = tools.map((tool) => {
    const about = firstSentence(tool.description).replaceAll("|", "\\|");
    return `| \`${tool.name}\` | ${about} | ${tool.annotations["readOnlyHint"] ? "reads" : "changes"} |`;
  });
  return ["| Tool | What it does | Effect |", "| --- | --- | --- |", ...rows, ""].join("\n");
}

function plainList(tools: readonly ListedTool[]): string {
  const width = Math.max(...tools.map((tool) => tool.name.length));
  return tools.map((tool) => `${tool.name.padEnd(width)}  ${firstSentence(tool.description)}\n`).join("");
}

function firstSentence(text: string): string {
  const end = /[.:](?=\s|$)/.exec(text);
  return end === null ? text : text.slice(0, end.index) + ".";
}
