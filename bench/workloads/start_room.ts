/** From nothing to the first answers, and what the list of tools costs. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Contestant, Probe, Runner } from "../driver/measure.ts";
import { memoryOf } from "../driver/memory.ts";
import { FLOOR, openRoom, type Room, type Scene } from "../driver/workload.ts";
import type { McpSession } from "../peers/mcp_session.ts";
import { openPeer, type Peer, type StartPlace } from "../peers/peer.ts";
import { EXECUTABLE, FROM_SOURCES } from "../peers/vise_peers.ts";

/** Long enough for what a server does after its first answer. */
const REST_MS = 1_500;

/** Starts a fresh process each time. */
export const startRoom: Room = {
  name: "start",
  open: ({ peers, tempDir }) => {
    const place = { workspace: join(tempDir, "start"), tempDir };
    mkdirSync(place.workspace, { recursive: true });
    writeFileSync(join(place.workspace, "small.txt"), "one line of text\n".repeat(6));
    const [sources, others] = [
      peers.filter(({ name }) => name === FROM_SOURCES),
      peers.filter(({ name }) => name !== FROM_SOURCES),
    ];
    const readers = peers.filter(({ dialect }) => typeof dialect.abilities.readSmall === "function");
    const start = (peer: Peer) => starting(peer, { place, until: () => Promise.resolve() });
    const list = (read: (session: McpSession) => Promise<number>) => peers.map((peer) => probe(peer, { place, read }));
    return Promise.resolve(openRoom([
      {
        name: "start",
        about: "from the start of the process to the answer of `initialize`; the empty program prints three bytes",
        floor: FLOOR.empty,
        contestants: [...emptyProgram(peers, EXECUTABLE), ...others.map(start)],
      },
      {
        name: "start from sources",
        about: "the same under `deno run`, caches warm",
        floor: FLOOR.empty,
        contestants: [...emptyProgram(peers, FROM_SOURCES), ...sources.map(start)],
      },
      {
        name: "start to first result",
        about: "from the start of the process to the result of reading a small file",
        floor: FLOOR.empty,
        contestants: [
          ...emptyProgram(peers, EXECUTABLE),
          ...readers.map((peer) => starting(peer, { place, until: (session) => readSmall(peer, session) })),
        ],
      },
      {
        name: "tools/list",
        about: "second answer to `tools/list`",
        contestants: peers.map((peer) => listing(peer, place)),
      },
      {
        name: "tools/list bytes",
        about: "bytes of the whole answer",
        unit: "bytes",
        values: list(async (session) => (await session.request("tools/list")).bytes),
      },
      {
        name: "tools/list tokens",
        about: "o200k tokens of names, descriptions and input schemas: what a model reads before it does anything",
        unit: "tokens",
        values: list(async (session) => visibleTokens(await session.request("tools/list"))),
      },
      {
        name: "memory at rest",
        about: "resident bytes of the server and its children, 1.5 s after `initialize` and `tools/list`",
        unit: "bytes",
        values: list(memoryAtRest),
      },
    ]));
  },
};

function emptyProgram(peers: Scene["peers"], beside: string): Contestant[] {
  const command = peers.find(({ name }) => name === beside)?.emptyCommand;
  return command === undefined ? [] : [{ name: FLOOR.empty, run: () => firstByte(command) }];
}

async function firstByte([program = "", ...args]: readonly string[]) {
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const settle = async () => {
    reader.releaseLock();
    await child.stdin.close();
    await child.stdout.cancel();
    await child.status;
  };
  return { settle };
}

function starting(
  peer: Peer,
  { place, until }: { place: StartPlace; until: (session: McpSession) => Promise<void> },
): Runner {
  return {
    name: peer.name,
    run: async () => {
      const session = await openPeer(peer, place);
      await until(session);
      return { settle: () => session[Symbol.asyncDispose]() };
    },
  };
}

async function readSmall({ dialect }: Peer, session: McpSession): Promise<void> {
  const read = dialect.abilities.readSmall;
  if (typeof read === "function") await read(session, { path: "small.txt" });
}

function listing(peer: Peer, place: StartPlace): Runner {
  let session: McpSession | undefined;
  return {
    name: peer.name,
    prepare: async () => {
      session = await openPeer(peer, place);
      await session.request("tools/list");
    },
    run: async () => {
      await session?.request("tools/list");
      return { settle: () => session?.[Symbol.asyncDispose]() };
    },
  };
}

function probe(
  peer: Peer,
  { place, read }: { place: StartPlace; read: (session: McpSession) => Promise<number> },
): Probe {
  return {
    name: peer.name,
    read: async () => {
      await using session = await openPeer(peer, place);
      return await read(session);
    },
  };
}

async function memoryAtRest(session: McpSession): Promise<number> {
  await session.request("tools/list");
  await new Promise((go) => setTimeout(go, REST_MS));
  return memoryOf(session.pid).now;
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
