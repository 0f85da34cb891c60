/** What a whole repair costs a model: the calls of `deno task demo`, counted. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { makeBrokenProject } from "../../demo/broken_project.ts";
import { type Facts, STEPS } from "../../demo/steps.ts";
import type { Row } from "../driver/measure.ts";
import { isThere } from "../driver/command.ts";
import type { Room, Scene } from "../driver/workload.ts";
import { textOf } from "../peers/mcp_session.ts";
import { type Peer, startPeer } from "../peers/peer.ts";

interface Cost {
  readonly tool: string;
  readonly argumentTokens: number;
  readonly textTokens: number;
  readonly structuredTokens: number;
  readonly bytes: number;
}

/** Needs Vise and git; the client is scripted, no model takes part. */
export const sessionRoom: Room = {
  name: "session",
  open: async (scene) => {
    const peer = scene.peers.find((candidate) => candidate.isVise);
    if (peer === undefined || !await isThere("git")) {
      scene.skip("repair session", "needs Vise and git");
      return { workloads: [], [Symbol.asyncDispose]: () => Promise.resolve() };
    }
    const startedAt = performance.now();
    const costs = await repair(peer, scene);
    const elapsedMs = performance.now() - startedAt;
    const sum = (read: (cost: Cost) => number) => costs.reduce((total, cost) => total + read(cost), 0);
    const one = (contestant: string, value: number): Row => ({ contestant, p50: value, p95: value, samples: 1 });
    return {
      workloads: [
        {
          name: "repair session",
          about:
            `the ${costs.length} calls of \`deno task demo\`; a client shows a model the texts or the structured values`,
          unit: "tokens",
          values: () =>
            Promise.resolve([
              one("arguments", sum((cost) => cost.argumentTokens)),
              one("results as text", sum((cost) => cost.textTokens)),
              one("results as structured values", sum((cost) => cost.structuredTokens)),
            ]),
        },
        {
          name: "repair session bytes",
          about: "all answers on the wire, both forms",
          unit: "bytes",
          values: () => Promise.resolve([one(peer.name, sum((cost) => cost.bytes))]),
        },
        {
          name: "repair session time",
          about: "start of the server and two runs of the project's tests included",
          values: () => Promise.resolve([one(peer.name, elapsedMs)]),
        },
        {
          name: "result tokens",
          about: "text of the first result of each tool in that session",
          unit: "tokens",
          values: () => {
            const first = new Map<string, Row>();
            for (const { tool, textTokens } of costs) if (!first.has(tool)) first.set(tool, one(tool, textTokens));
            return Promise.resolve([...first.values()]);
          },
        },
      ],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  },
};

async function repair(peer: Peer, scene: Scene): Promise<Cost[]> {
  const workspace = join(scene.tempDir, "session");
  mkdirSync(workspace, { recursive: true });
  makeBrokenProject(workspace);
  await using session = startPeer(peer, { workspace, tempDir: scene.tempDir });
  await session.initialize();
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
  return costs;
}
