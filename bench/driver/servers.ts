/** One running server per peer, kept for a whole room. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../peers/dialect.ts";
import type { McpSession } from "../peers/mcp_session.ts";
import { type Peer, startPeer } from "../peers/peer.ts";
import type { Contestant } from "./measure.ts";
import type { Scene } from "./workload.ts";

/** A peer with its open session. */
export interface RunningServer {
  readonly peer: Peer;
  readonly session: McpSession;
  readonly workspace: string;
}

/** Ends every server when it is disposed. */
export class Servers implements AsyncDisposable {
  readonly all: readonly RunningServer[];

  constructor(all: readonly RunningServer[]) {
    this.all = all;
  }

  /** Starts every peer that passes the filter on the workspace that `place` names for it. */
  static async start(
    scene: Scene,
    { place, needs }: { place: (peer: Peer) => string; needs: readonly (keyof Dialect)[] },
  ): Promise<Servers> {
    const all: RunningServer[] = [];
    for (const peer of scene.peers) {
      if (needs.every((method) => peer.dialect[method] === undefined)) continue;
      const workspace = place(peer);
      try {
        const session = startPeer(peer, { workspace, tempDir: scene.tempDir });
        await session.initialize();
        all.push({ peer, session, workspace });
      } catch (fault) {
        scene.skip(peer.name, String(fault));
      }
    }
    return new Servers(all);
  }

  /** Contestants of those servers whose dialect has `method`; `act` does the work once. */
  contestants<Method extends keyof Dialect>(
    method: Method,
    act: (does: NonNullable<Dialect[Method]>, server: RunningServer) => Promise<unknown>,
  ): Contestant[] {
    return this.all.filter(({ peer }) => peer.dialect[method] !== undefined).map((server) => ({
      name: server.peer.name,
      run: async () => {
        await act(server.peer.dialect[method] as NonNullable<Dialect[Method]>, server);
      },
    }));
  }

  /** Servers of Vise itself, for what no other offers. */
  get ours(): readonly RunningServer[] {
    return this.all.filter(({ peer }) => peer.isVise);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { session } of this.all) await session[Symbol.asyncDispose]();
  }
}

/** A fresh directory for this peer in the room named. */
export function ownPlace(scene: Scene, room: string): (peer: Peer) => string {
  return (peer) => {
    const path = join(scene.tempDir, room, peer.name.replaceAll(/\W+/g, "-"));
    mkdirSync(path, { recursive: true });
    return path;
  };
}
