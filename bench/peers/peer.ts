/** A server that takes part: how to start it on a workspace, and what it understands. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Dialect, recognizeDialect } from "./dialect.ts";
import { McpSession } from "./mcp_session.ts";

/** One server that takes part. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** `{workspace}` stands for the directory it serves. */
  readonly command: readonly string[];
  readonly isVise: boolean;
  /** Program that does nothing in the same way, for the start. */
  readonly emptyCommand?: readonly string[];
  /** Its tools are asked by these names. */
  readonly dialect: Dialect;
}

/** Where one start works. */
export interface StartPlace {
  readonly workspace: string;
  /** For this run only. */
  readonly tempDir: string;
}

/** Starts it; the handshake is not done yet. Every server gets a home of its own, so that none reads the user's settings. */
export function startPeer(peer: Pick<Peer, "command">, { workspace, tempDir }: StartPlace): McpSession {
  const home = join(tempDir, "home");
  mkdirSync(home, { recursive: true });
  const { PATH = "", DENO_DIR, HOME, XDG_CACHE_HOME } = Deno.env.toObject();
  const denoDir = DENO_DIR ?? join(XDG_CACHE_HOME ?? join(HOME ?? "/", ".cache"), "deno");
  return new McpSession({
    command: peer.command.map((word) => word.replaceAll("{workspace}", workspace)),
    cwd: workspace,
    env: { PATH, HOME: home, DENO_DIR: denoDir, LANG: "C.UTF-8", NODE_ENV: "production" },
  });
}

/** Starts the server once to learn its version and its tools. */
export async function meetPeer(peer: Omit<Peer, "version" | "dialect">, place: StartPlace): Promise<Peer> {
  await using session = startPeer(peer, place);
  const { result } = await session.initialize();
  const { result: listing } = await session.request("tools/list");
  const names = (listing.tools as { name: string }[]).map((tool) => tool.name);
  return { ...peer, version: result.serverInfo.version, dialect: recognizeDialect(names) };
}
