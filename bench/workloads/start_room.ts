/** From nothing to the first answers, and what the list of tools costs. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Contestant, Row } from "../driver/measure.ts";
import { memoryOf } from "../driver/memory.ts";
import { FLOOR, type Room, type Scene, type Workload } from "../driver/workload.ts";
import type { McpSession } from "../peers/mcp_session.ts";
import { type Peer, startPeer } from "../peers/peer.ts";

/** Long enough for what a server does after its first answer. */
const REST_MS = 1_500;

/** Starts a fresh process each time. */
export const startRoom: Room = {
  name: "start",
  open: (scene) => {
    const workspace = join(scene.tempDir, "start");
    mkdirSync(workspace, { recursive: true });
    Deno.writeTextFileSync(join(workspace, "small.txt"), "one line of text\n".repeat(6));
    const place = { workspace, tempDir: scene.tempDir };
    const [executable, source] = ["vise (executable)", "vise (deno run)"];
    const others = scene.peers.filter((peer) => peer.name !== source);
    const workloads: Workload[] = [
      {
        name: "start",
        about: "from the start of the process to the answer of `initialize`; the empty program prints three bytes",
        floor: FLOOR.empty,
        contestants: [...emptyProgram(scene, executable), ...others.map((peer) => starting(peer, place))],
      },
      {
        name: "start from sources",
        about: "the same under `deno run`, caches warm",
        floor: FLOOR.empty,
        contestants: [
          ...emptyProgram(scene, source),
          ...scene.peers.filter((peer) => peer.name === source).map((peer) => starting(peer, place)),
        ],
      },
      {
        name: "start to first result",
        about: "from the start of the process to the result of reading a small file",
        floor: FLOOR.empty,
        contestants: [
          ...emptyProgram(scene, executable),
          ...scene.peers.filter((peer) => peer.dialect.readSmall !== undefined).map((peer) => firstResult(peer, place)),
        ],
      },
      { name: "tools/list", about: "answer to `tools/list` of a warm server", contestants: listing(scene, place) },
      {
        name: "tools/list bytes",
        about: "bytes of the whole answer",
        unit: "bytes",
        values: () => perPeer(scene.peers, place, async (session) => (await session.request("tools/list")).bytes),
      },
      {
        name: "tools/list tokens",
        about: "o200k tokens of names, descriptions and input schemas: what a model reads before it does anything",
        unit: "tokens",
        values: () =>
          perPeer(scene.peers, place, async (session) => visibleTokens(await session.request("tools/list"))),
      },
      {
        name: "memory at rest",
        about: "resident bytes of the server and its children, 1.5 s after `initialize` and `tools/list`",
        unit: "bytes",
        values: () =>
          perPeer(scene.peers, place, async (session) => {
            await session.request("tools/list");
            await new Promise((go) => setTimeout(go, REST_MS));
            return memoryOf(session.child.pid ?? 0).now;
          }),
      },
    ];
    return Promise.resolve({ workloads, [Symbol.asyncDispose]: () => Promise.resolve() });
  },
};

interface Place {
  readonly workspace: string;
  readonly tempDir: string;
}

function emptyProgram(scene: Scene, beside: string): Contestant[] {
  const command = scene.peers.find((peer) => peer.name === beside)?.emptyCommand;
  if (command === undefined) return [];
  return [{
    name: FLOOR.empty,
    run: async () => {
      const [program = "", ...args] = command;
      const startedAt = performance.now();
      const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
      const reader = child.stdout.getReader();
      await reader.read();
      const elapsedMs = performance.now() - startedAt;
      reader.releaseLock();
      await child.stdin.close();
      await child.stdout.cancel();
      await child.status;
      return elapsedMs;
    },
  }];
}

function starting(peer: Peer, place: Place): Contestant {
  return {
    name: peer.name,
    run: async () => {
      const startedAt = performance.now();
      await using session = startPeer(peer, place);
      await session.initialize();
      return performance.now() - startedAt;
    },
  };
}

function firstResult(peer: Peer, place: Place): Contestant {
  return {
    name: peer.name,
    run: async () => {
      const startedAt = performance.now();
      await using session = startPeer(peer, place);
      await session.initialize();
      await peer.dialect.readSmall?.(session, "small.txt");
      return performance.now() - startedAt;
    },
  };
}

function listing(scene: Scene, place: Place): Contestant[] {
  return scene.peers.map((peer) => ({
    name: peer.name,
    run: async () => {
      await using session = startPeer(peer, place);
      await session.initialize();
      await session.request("tools/list");
      return (await session.request("tools/list")).elapsedMs;
    },
  }));
}

async function perPeer(
  peers: readonly Peer[],
  place: Place,
  read: (session: McpSession) => Promise<number>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const peer of peers) {
    await using session = startPeer(peer, place);
    await session.initialize();
    const value = await read(session);
    rows.push({ contestant: peer.name, p50: value, p95: value, samples: 1 });
  }
  return rows;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
}

function visibleTokens({ result }: { result: { tools: ListedTool[] } }): number {
  return result.tools.reduce(
    (sum, { name, description = "", inputSchema }) =>
      sum + encode(name).length + encode(description).length + encode(JSON.stringify(inputSchema)).length,
    0,
  );
}
