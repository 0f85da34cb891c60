/** `deno task docs`: writes what is generated; `--check` only compares and fails on drift. */

import { helpText } from "../src/cli/help.ts";
import { toolTable } from "../src/cli/tools_command.ts";
import { listedTools, listingModule } from "./make_listing.ts";
import { notices } from "./notices.ts";
import { clientsPage } from "./pages/clients_page.ts";
import { errorsPage } from "./pages/errors_page.ts";
import { overviewPage } from "./pages/overview.ts";
import { formatted } from "./pages/markdown.ts";
import { makeExamples } from "./pages/tool_examples.ts";
import { toolsPage } from "./pages/tools_page.ts";
import { webpEncoderModule } from "./make_webp_encoder.ts";

const check = Deno.args.includes("--check");
const tools = await listedTools();
const webpEncoder = await webpEncoderModule();

const examples = await makeExamples();

const FILES: Readonly<Record<string, (present: string) => string | Promise<string>>> = {
  "src/catalog/listing_data.ts": () => listingModule(tools),
  "README.md": (present) => withSection(present, { name: "tools", content: tidyTable(toolTable(tools)) }),
  "docs/cli.md": () => cliPage(),
  "docs/clients.md": () => formatted(clientsPage(tools)),
  "docs/errors.md": () => formatted(errorsPage()),
  "THIRD_PARTY_NOTICES": () => notices(),
  "llms.txt": () => overviewPage(),
  "docs/tools.md": async (present) => {
    if ("examples" in examples) return await formatted(await toolsPage(tools, examples.examples));
    console.log(`docs/tools.md is not compared here: the examples cannot be made, ${examples.missing}`);
    return present;
  },
  "src/engine/image/codec/webp_encoder_data.ts": () => webpEncoder,
};

let drifted = false;
for (const [path, make] of Object.entries(FILES)) {
  const present = await Deno.readTextFile(path).catch(() => "");
  const wanted = await make(present);
  if (present === wanted) continue;
  if (check) {
    console.error(`${path} differs from its source; run deno task docs\n${firstDifference(present, wanted)}`);
    drifted = true;
  } else {
    await Deno.writeTextFile(path, wanted);
    console.log(`wrote ${path}`);
  }
}
Deno.exit(drifted ? 1 : 0);

/** The first line that differs, as it is and as it should be. */
function firstDifference(present: string, wanted: string): string {
  const [is, should] = [present.split("\n"), wanted.split("\n")];
  const at = should.findIndex((line, index) => line !== is[index]);
  const line = at < 0 ? should.length : at;
  return `  line ${line + 1}\n  is:     ${is[line] ?? "(nothing)"}\n  should: ${should[line] ?? "(nothing)"}`;
}

/** Replaces what stands between `<!-- name:begin -->` and `<!-- name:end -->`. */
function withSection(page: string, { name, content }: { name: string; content: string }): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the page has no section ${name}`);
  return `${page.slice(0, from + begin.length)}\n\n${content}\n${page.slice(to)}`;
}

/** Pads the columns as `deno fmt` does, so that generated pages are formatted too. */
function tidyTable(table: string): string {
  const rows = table.trimEnd().split("\n").map((row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length))
  );
  const lines = rows.map((row, index) =>
    "| " + row.map((cell, column) =>
      index === 1 ? "-".repeat(widths[column] as number) : cell.padEnd(widths[column] as number)
    ).join(" | ") + " |"
  );
  return lines.join("\n") + "\n";
}

function cliPage(): string {
  return `# Command line

Generated from the definitions of flags and subcommands; \`vise --help\` prints the same.

\`\`\`text
${helpText().trimEnd()}
\`\`\`

Exit codes: 0 done or end of input, 1 tool error of \`vise call\` (or something asked for is not enforced, for
\`vise doctor\`), 2 unusable flags or workspace (one \`ERROR: …\` line), 130 interrupted, 143 terminated.
`;
}
