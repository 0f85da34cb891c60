/** Every client that `vise setup` knows, in the order of the documentation. */

import { CLAUDE_CODE, CLAUDE_DESKTOP } from "./claude.ts";
import type { Client } from "./client.ts";
import { CODEX } from "./codex.ts";
import { CURSOR } from "./cursor.ts";
import { GEMINI } from "./gemini.ts";
import { OPENCODE } from "./opencode.ts";
import { CLINE, VSCODE } from "./vscode.ts";
import { WINDSURF } from "./windsurf.ts";
import { ZED } from "./zed.ts";

/** The names are unique: `vise setup NAME` finds a client by them. */
export const ALL_CLIENTS: readonly Client[] = [
  CLAUDE_CODE,
  CLAUDE_DESKTOP,
  CODEX,
  CURSOR,
  VSCODE,
  WINDSURF,
  GEMINI,
  ZED,
  CLINE,
  OPENCODE,
];
