/** Configuration files of MCP clients that are found here, and whether they name this server. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { DoctorRow } from "./doctor_row.ts";

/** `[client, place, path]`. */
const FILES: readonly (readonly [string, "home" | "workspace", string])[] = [
  ["Claude Code", "workspace", ".mcp.json"],
  ["Claude Code", "home", ".claude.json"],
  ["Claude Desktop", "home", ".config/Claude/claude_desktop_config.json"],
  ["Claude Desktop", "home", "Library/Application Support/Claude/claude_desktop_config.json"],
  ["Codex", "home", ".codex/config.toml"],
  ["Cursor", "workspace", ".cursor/mcp.json"],
  ["Cursor", "home", ".cursor/mcp.json"],
  ["VS Code", "workspace", ".vscode/mcp.json"],
  ["VS Code", "home", ".config/Code/User/mcp.json"],
  ["Gemini CLI", "workspace", ".gemini/settings.json"],
  ["Gemini CLI", "home", ".gemini/settings.json"],
  ["Windsurf", "home", ".codeium/windsurf/mcp_config.json"],
  ["Zed", "home", ".config/zed/settings.json"],
  ["OpenCode", "workspace", "opencode.json"],
  ["OpenCode", "home", ".config/opencode/opencode.json"],
  ["Goose", "home", ".config/goose/config.yaml"],
];

/** Larger files are not read: no client's configuration is that long. */
const MAX_BYTES = 4 * 1024 * 1024;

/** One row for each file found; reads them and changes nothing. */
export function clientRows(config: Config): DoctorRow[] {
  const home = config.environment["HOME"] || null;
  const rows: DoctorRow[] = [];
  for (const [client, place, name] of FILES) {
    const base = place === "workspace" ? config.workspace : home;
    if (base === null) continue;
    const text = read(join(base, name));
    if (text === null) continue;
    const names = /\bvise\b/.test(text);
    rows.push({
      id: "client",
      state: "note",
      means: `${client}: ${join(base, name)} ${names ? "names vise" : "does not name vise"}`,
      do: names ? "" : "`vise setup` prints what to add.",
    });
  }
  if (rows.length > 0) return rows;
  return [{
    id: "client",
    state: "note",
    means: "No configuration of a client was found",
    do: "`vise setup CLIENT` prints one.",
  }];
}

function read(path: string): string | null {
  try {
    const bytes = readFileSync(path);
    return bytes.length > MAX_BYTES ? "" : new TextDecoder().decode(bytes);
  } catch {
    // Not there or not readable: nothing to tell.
    return null;
  }
}
