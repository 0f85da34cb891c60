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
  /** Gets the environment of the benchmark; every other server has a home of its own, so that none reads the user's settings. */
  readonly isGiven?: boolean;
  /** Program that does nothing in the same way, for the start. */
  readonly emptyCommand?: readonly string[];
  /** Its tools are asked by these names. */
  readonly dialect: Dialect;
}

/** What is known of a server before it was ever started. */
export type Stranger = Omit<Peer, "version" | "dialect">;

/** Where one start works. */
export interface StartPlace {
  readonly workspace: string;
  /** For this run only. */
  readonly tempDir: string;
}

/** Starts it; the handshake is not done yet. */
export function startPeer({ command, isGiven = false }: Stranger, { workspace, tempDir }: StartPlace): McpSession {
  return new McpSession({
    command: command.map((word) => word.replaceAll("{workspace}", workspace)),
    workspace,
    env: isGiven ? Deno.env.toObject() : isolatedEnvironment(tempDir),
  });
}

/** Starts it, handshake included. */
export async function openPeer(peer: Peer, place: StartPlace): Promise<McpSession> {
  const session = startPeer(peer, place);
  try {
    await session.initialize();
    return session;
  } catch (fault) {
    await session[Symbol.asyncDispose]();
    throw fault;
  }
}

/** Starts the server once to learn its version and its tools, and to set what lasts. */
export async function meetPeer(stranger: Stranger, place: StartPlace): Promise<Peer> {
  await using session = startPeer(stranger, place);
  const { result } = await session.initialize();
  const { result: listing } = await session.request("tools/list");
  const names = (listing.tools as { name: string }[]).map((tool) => tool.name);
  const dialect = recognizeDialect(names);
  await dialect.settleIn?.(session);
  return { ...stranger, version: String(result.serverInfo?.version ?? "unknown"), dialect };
}

function isolatedEnvironment(tempDir: string): Record<string, string> {
  const home = join(tempDir, "home");
  mkdirSync(home, { recursive: true });
  const { PATH = "", DENO_DIR, HOME, XDG_CACHE_HOME } = Deno.env.toObject();
  const denoDir = DENO_DIR ?? join(XDG_CACHE_HOME ?? join(HOME ?? "/", ".cache"), "deno");
  return { PATH, HOME: home, DENO_DIR: denoDir, LANG: "C.UTF-8", NODE_ENV: "production" };
}
