/** What a whole repair costs a model: the calls of `deno task demo`, counted. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { makeBrokenProject } from "../../demo/broken_project.ts";
import { type Facts, STEPS } from "../../demo/steps.ts";
import { isThere } from "../driver/command.ts";
import type { Probe } from "../driver/measure.ts";
import { openRoom, type Room, type Scene } from "../driver/workload.ts";
import { textOf } from "../peers/mcp_session.ts";
import { openPeer, type Peer } from "../peers/peer.ts";

/** What the project's tests need. */
const PROGRAMS = ["git", "node"];

interface Cost {
  readonly tool: string;
  readonly argumentTokens: number;
  readonly textTokens: number;
  readonly structuredTokens: number;
  readonly bytes: number;
}

interface Repair {
  readonly costs: readonly Cost[];
  readonly elapsedMs: number;
}

/** Needs Vise, git and node; the client is scripted, no model takes part. */
export const sessionRoom: Room = {
  name: "session",
  open: async (scene) => {
    const peer = scene.peers.find((candidate) => candidate.isVise);
    const missing = (await Promise.all(PROGRAMS.map(async (name) => await isThere(name) ? [] : [name]))).flat();
    if (peer === undefined || missing.length > 0) {
      scene.skip("repair session", peer === undefined ? "Vise takes no part" : `needs ${missing.join(" and ")}`);
      return openRoom([]);
    }
    let done: Promise<Repair> | undefined;
    const probe = (name: string, read: (repair: Repair) => number): Probe => ({
      name,
      read: async () => read(await (done ??= repair(peer, scene))),
    });
    const sum = (field: Exclude<keyof Cost, "tool">) => ({ costs }: Repair) =>
      costs.reduce((total, cost) => total + cost[field], 0);
    return openRoom([
      {
        name: "repair session",
        about:
          `the ${STEPS.length} calls of \`deno task demo\`; a client shows a model the texts or the structured values`,
        unit: "tokens",
        values: [
          probe("arguments", sum("argumentTokens")),
          probe("results as text", sum("textTokens")),
          probe("results as structured values", sum("structuredTokens")),
        ],
      },
      {
        name: "repair session bytes",
        about: "all answers on the wire, both forms",
        unit: "bytes",
        values: [probe(peer.name, sum("bytes"))],
      },
      {
        name: "repair session time",
        about: "start of the server and two runs of the project's tests included",
        values: [probe(peer.name, ({ elapsedMs }) => elapsedMs)],
      },
      ...(["textTokens", "bytes"] as const).map((field) => ({
        name: field === "bytes" ? "result bytes" : "result tokens",
        about: field === "bytes"
          ? "the whole answer of the first call of each tool in that session"
          : "text of the first result of each tool in that session",
        unit: field === "bytes" ? "bytes" : "tokens",
        values: [...new Set(STEPS.map(({ tool }) => tool))].map((tool) =>
          probe(tool, ({ costs }) => costs.find((cost) => cost.tool === tool)?.[field] ?? NaN)
        ),
      })),
    ]);
  },
};

async function repair(peer: Peer, { tempDir }: Scene): Promise<Repair> {
  const workspace = join(tempDir, "session");
  mkdirSync(workspace, { recursive: true });
  makeBrokenProject(workspace);
  const startedAt = performance.now();
  await using session = await openPeer(peer, { workspace, tempDir });
  const facts: Facts = {};
  const costs: Cost[] = [];
  for (const step of STEPS) {
    const args = typeof step.args === "function" ? step.args(facts) : step.args;
    const { result, bytes } = await session.request("tools/call", { name: step.tool, arguments: args });
    const text = textOf(result);
    if (!step.expect({ text, value: result.structuredContent, isError: result.isError === true }, facts)) {
      throw new Error(`the repair failed at ${step.tool}: ${text.slice(0, 200)}`);
    }
    costs.push({
      tool: step.tool,
      argumentTokens: encode(JSON.stringify(args)).length,
      textTokens: encode(text).length,
      structuredTokens: encode(JSON.stringify(result.structuredContent ?? null)).length,
      bytes,
    });
  }
  return { costs, elapsedMs: performance.now() - startedAt };
}
