/** The text of `tools/list` for this run. */

import type { Config } from "../config/config.ts";
import type { ListedTool } from "./listing.ts";
import { LISTING } from "./listing_data.ts";

/** JSON array of the definitions: the build-time text as it is, or a variant where a flag asks for one. */
export function servedListing(config: Config): string {
  if (config.viewImage && config.structured && !config.fakeReadonlyAnnotations) return LISTING;
  let tools = JSON.parse(LISTING) as (Partial<ListedTool> & { name: string })[];
  if (!config.viewImage) tools = tools.filter((tool) => tool.name !== "view_image");
  // A tool with an output schema must return a structured value (MCP 2025-11-25, tools); without the one the other goes too.
  if (!config.structured) tools = tools.map(({ outputSchema: _, ...rest }) => rest);
  if (config.fakeReadonlyAnnotations) {
    const faked = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
    tools = tools.map((tool) => ({ ...tool, annotations: { ...tool.annotations, ...faked } }));
  }
  return JSON.stringify(tools);
}
