/** How long others wait while the server is busy. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keptCorpus } from "../corpus/kept.ts";
import { makeTree } from "../corpus/make_tree.ts";
import { type Probe, quantile, type Runner } from "../driver/measure.ts";
import { ownPlace, Servers } from "../driver/servers.ts";
import { openRoom, type Room, type Scene, type Workload } from "../driver/workload.ts";
import type { McpSession } from "../peers/mcp_session.ts";
import type { Peer } from "../peers/peer.ts";
import { HttpServer } from "./http_server.ts";

const FLOODS = 16;
const FLOOD = "head -c 268435456 /dev/zero";
const REQUESTS = 200;
const PAUSE_MS = 5;
/** Pixels; large enough to keep the decoder busy for some tenths of a second. */
const SIDE = 3_000;

/** Vise only; the bars are waits, not comparisons. */
export const loadRoom: Room = {
  name: "load",
  open: async (scene) => {
    const root = await keptCorpus(scene.corpusDir, "tree-52000", (path) => makeTree(path, 52_000));
    const ours = { ...scene, peers: scene.peers.filter(({ isVise }) => isVise) };
    const searching = await Servers.start(ours, { place: () => root, needs: ["search"] });
    const others = await Servers.start(ours, { place: ownPlace(scene, "load"), needs: ["exec"] });
    for (const { workspace } of others.all) {
      writeFileSync(join(workspace, "small.txt"), "one line of text\n");
      writeFileSync(join(workspace, "large.bmp"), bitmap(SIDE));
    }
    return openRoom(
      [
        waiting(searching, {
          name: "ping during a search",
          about: "longest answer to `ping` while an expression without a literal is searched in 52,000 files",
          keepBusy: (session) => session.call("search_text", { query: "([A-Z][a-z]+){4}", regex: true }),
          ask: (session) => session.request("ping"),
        }),
        waiting(others, {
          name: "ping during an image",
          about: `longest answer to \`ping\` while a picture of ${SIDE}×${SIDE} is scaled`,
          keepBusy: (session) => session.call("view_image", { path: "large.bmp", max_bytes: 10_000_000 }),
          ask: (session) => session.request("ping"),
        }),
        waiting(others, {
          name: "read during 16 floods",
          about: `longest \`read_file\` of a small file while ${FLOODS} commands write 256 MiB each`,
          keepBusy: (session) =>
            Promise.all(
              Array.from({ length: FLOODS }, () =>
                session.call("exec_command", { cmd: FLOOD, yield_time_ms: 30_000, verbosity: "summary" })),
            ),
          ask: (session) => session.call("read_file", { path: "small.txt" }),
        }),
        ...overHttp(scene),
      ],
      searching,
      others,
    );
  },
};

interface Waiting extends Pick<Workload, "name" | "about"> {
  readonly keepBusy: (session: McpSession) => Promise<unknown>;
  readonly ask: (session: McpSession) => Promise<unknown>;
}

function waiting({ all }: Servers, { name, about, keepBusy, ask }: Waiting): Workload {
  return {
    name,
    about,
    weight: "slow",
    contestants: all.map(({ peer, session }): Runner => ({
      name: peer.name,
      run: async () => {
        let isBusy = true;
        const busy = keepBusy(session).finally(() => (isBusy = false));
        // Whoever asks may fail first; this one is awaited below.
        busy.catch(() => {});
        let longest = 0;
        while (isBusy) {
          const startedAt = performance.now();
          await ask(session);
          longest = Math.max(longest, performance.now() - startedAt);
          await sleep(PAUSE_MS);
        }
        await busy;
        return { ms: longest };
      },
    })),
  };
}

function overHttp({ peers, tempDir }: Scene): Workload[] {
  const peer = peers.find(({ isVise }) => isVise);
  if (peer === undefined) return [];
  let done: Promise<readonly number[]> | undefined;
  const times = () => done ??= askAll(peer, join(tempDir, "http"));
  const probe = (name: string, at: number): Probe => ({ name, read: async () => quantile(await times(), at) });
  return [{
    name: "200 requests at once over HTTP",
    about: `${REQUESTS} calls of reading tools sent together to ${peer.name}; each must succeed`,
    values: [probe("p50", 0.5), probe("p95", 0.95), probe("p99", 0.99), probe("longest", 1)],
  }];
}

async function askAll(peer: Peer, workspace: string): Promise<readonly number[]> {
  await using server = await HttpServer.start(peer, workspace);
  return await Promise.all(Array.from({ length: REQUESTS }, async (_, index) => {
    const startedAt = performance.now();
    await server.call(READS[index % READS.length] as typeof READS[number], index + 1);
    return performance.now() - startedAt;
  }));
}

const READS = [
  { name: "read_file", arguments: { path: "src/invoice.js" } },
  { name: "list_dir", arguments: { recursive: true } },
  { name: "list_files", arguments: {} },
  { name: "search_text", arguments: { query: "return" } },
  { name: "git_status", arguments: {} },
  { name: "git_diff", arguments: {} },
  { name: "git_log", arguments: {} },
  { name: "git_show", arguments: {} },
  { name: "git_blame", arguments: { path: "src/invoice.js" } },
  { name: "server_info", arguments: {} },
  { name: "check_exec_environment", arguments: {} },
  { name: "workspace_guide", arguments: {} },
] as const;

/** A square of soft stripes as BMP, 24 bits a pixel: needs no other program to be made. */
function bitmap(side: number): Uint8Array {
  const size = side * side * 3;
  const bytes = new Uint8Array(54 + size);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, side, true);
  view.setInt32(22, side, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  for (let at = 54; at < bytes.length; at++) bytes[at] = at >>> 6;
  return bytes;
}
