/** One running server per peer, kept for a whole room. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Ability, Ask } from "../peers/dialect.ts";
import type { McpSession } from "../peers/mcp_session.ts";
import { openPeer, type Peer } from "../peers/peer.ts";
import type { Contestant, Done } from "./measure.ts";
import { messageOf } from "./message_of.ts";
import type { Scene } from "./workload.ts";

/** A peer with its open session. */
export interface RunningServer {
  readonly peer: Peer;
  readonly session: McpSession;
  readonly workspace: string;
}

interface Places {
  /** Directory that the peer serves. */
  readonly place: (peer: Peer) => string;
  /** A server that has one of them takes part. */
  readonly needs: readonly Ability[];
}

/** Ends every server when it is disposed. */
export class Servers implements AsyncDisposable {
  readonly all: readonly RunningServer[];
  readonly #peers: readonly Peer[];
  /** Why a peer that should be running is not. */
  readonly #broken: ReadonlyMap<string, string>;

  private constructor(peers: readonly Peer[], all: RunningServer[], broken: ReadonlyMap<string, string>) {
    this.#peers = peers;
    this.all = all;
    this.#broken = broken;
  }

  /** Starts every peer that is of use in a room; one that does not start fails in each workload of the room. */
  static async start({ peers, tempDir }: Scene, { place, needs }: Places): Promise<Servers> {
    const all: RunningServer[] = [];
    const broken = new Map<string, string>();
    for (const peer of peers) {
      if (!needs.some((ability) => typeof peer.dialect.abilities[ability] === "function")) continue;
      const workspace = place(peer);
      try {
        all.push({ peer, session: await openPeer(peer, { workspace, tempDir }), workspace });
      } catch (fault) {
        broken.set(peer.name, `failed: ${messageOf(fault)}`);
      }
    }
    return new Servers(peers, all, broken);
  }

  /** Servers of Vise itself, for what no other offers. */
  get ours(): readonly RunningServer[] {
    return this.all.filter(({ peer }) => peer.isVise);
  }

  /** Every peer that says something of an ability: those that have it, and those that say why not. `act` does the work once. */
  contestants<Name extends Ability>(
    ability: Name,
    act: (ask: Ask<Name>, server: RunningServer) => Promise<Done | void>,
  ): Contestant[] {
    const contestants: Contestant[] = [];
    for (const { name, dialect } of this.#peers) {
      const ask: Ask<Name> | string | undefined = dialect.abilities[ability];
      const server = this.all.find(({ peer }) => peer.name === name);
      if (typeof ask === "string") contestants.push({ name, reason: ask });
      else if (ask !== undefined && server !== undefined) contestants.push({ name, run: () => act(ask, server) });
      else if (ask !== undefined) contestants.push({ name, reason: this.#broken.get(name) ?? "failed: not started" });
    }
    return contestants;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { session } of this.all) await session[Symbol.asyncDispose]();
  }
}

/** A fresh directory for this peer in the room named. */
export function ownPlace(scene: Scene, room: string): (peer: Pick<Peer, "name">) => string {
  return (peer) => {
    const path = join(scene.tempDir, room, peer.name.replaceAll(/\W+/g, "-"));
    mkdirSync(path, { recursive: true });
    return path;
  };
}
