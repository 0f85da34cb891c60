/** Servers of every kind join the benchmark, and those that cannot are told apart in words. */

import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answered, measure } from "../../bench/driver/measure.ts";
import { Servers } from "../../bench/driver/servers.ts";
import type { Scene } from "../../bench/driver/workload.ts";
import { type Ability, recognizeDialect } from "../../bench/peers/dialect.ts";
import { makeGivenPeers } from "../../bench/peers/given_peers.ts";
import { openPeer, type Peer } from "../../bench/peers/peer.ts";
import { PUBLIC_PEERS } from "../../bench/peers/public_peers.ts";
import { makeTree, RARE_LITERAL, RARE_PART } from "../../bench/corpus/make_tree.ts";
import { REPOSITORY } from "../support/server_command.ts";

const STUB = `"${Deno.execPath()}" run --quiet --no-lock -A "${REPOSITORY}tests/bench/support/stub_server.ts"`;
const CORE_TOOLS = ["read_file", "apply_patch", "exec_command", "search_text"];

Deno.test("servers are known by their tools; a part of Vise's tools is enough, and what is missing has a reason", () => {
  const names = (tools: string[]) => recognizeDialect(tools).name;
  strictEqual(names(["read_text_file", "edit_file", "search_files"]), "filesystem");
  strictEqual(names(["read_file", "edit_block", "start_process"]), "desktop-commander");
  strictEqual(names(["git_status", "git_diff", "git_wrapup_instructions"]), "git-mcp-server");
  strictEqual(names(["something_else", "git_status"]), "unknown");
  const part = recognizeDialect(["exec_command", "read_file"]);
  strictEqual(part.name, "core");
  strictEqual(typeof part.abilities.exec, "function");
  deepStrictEqual([part.abilities.search, part.abilities.gitLog], ["has no search_text", "has no git_log"]);
});

Deno.test("given servers join: one with the tools of Vise, one with none that fits; the rest is skipped with a reason", async () => {
  await using bench = await Bench.of([
    `peer=${STUB} ${CORE_TOOLS.join(" ")}`,
    `poor=${STUB} something_else`,
    `peer=${STUB} read_file`,
    `mute=${STUB}`,
    "gone=/no/such/program",
  ]);
  deepStrictEqual(bench.peers.map(({ name, version }) => [name, version]), [["peer", "0.3"], ["poor", "0.3"]]);
  deepStrictEqual(bench.peers.map(({ isVise }) => isVise), [false, false]);
  strictEqual(bench.skipped.length, 3);
  match(bench.skipped[0] ?? "", /^peer: another server has this name/);
  match(bench.skipped[1] ?? "", /^mute: tools\/list: no such method/);
  match(bench.skipped[2] ?? "", /^gone: the server ended/);
});

Deno.test("a server that lacks tools stands beside the table with its reason, and one without any stays away", async () => {
  await using bench = await Bench.of([`peer=${STUB} ${CORE_TOOLS.join(" ")}`, `poor=${STUB} something_else`]);
  const read = await bench.measure("readSmall");
  deepStrictEqual(read.rows.map(({ contestant }) => contestant), ["peer"]);
  ok((read.rows[0]?.answer?.tokens ?? 0) > 3);
  deepStrictEqual(read.failures, []);
  const status = await bench.measure("gitStatus");
  deepStrictEqual(status, { rows: [], failures: [{ contestant: "peer", reason: "has no git_status" }] });
});

Deno.test("a server that is asked for work and does not start fails in each workload instead of vanishing", async () => {
  await using bench = await Bench.of([`peer=${STUB} ${CORE_TOOLS.join(" ")}`]);
  const [peer] = bench.peers;
  ok(peer !== undefined);
  bench.peers = [{ ...peer, command: ["/no/such/program"] }];
  const { rows, failures } = await bench.measure("readSmall");
  deepStrictEqual(rows, []);
  match(failures[0]?.reason ?? "", /^failed: the server ended/);
});

Deno.test("answers find their requests, whichever comes first and wherever the id stands; refusals and the end are errors", async () => {
  await using bench = await Bench.of([`peer=${STUB} read_file exec_command`]);
  const [peer] = bench.peers;
  ok(peer !== undefined);
  const session = await openPeer(peer, bench.place);
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  await Promise.all([
    session.call("read_file", { path: "slow" }).then(note("slow")),
    session.call("read_file", { path: "fast" }).then(note("fast")),
  ]);
  deepStrictEqual(order, ["fast", "slow"]);
  await rejects(session.call("read_file", { path: "missing" }), /read_file: read_file refused/);
  await rejects(session.call("read_file", { path: "huge" }), /the answer is longer than 64 MiB/);
  match(JSON.stringify((await session.call("read_file", { path: "small" })).result), /one line of text/);
  await session[Symbol.asyncDispose]();
  await rejects(session.request("ping"), /the server ended/);
});

Deno.test("public servers are pinned to exact versions and named once", () => {
  strictEqual(new Set(PUBLIC_PEERS.map(({ name }) => name)).size, PUBLIC_PEERS.length);
  for (const { version } of PUBLIC_PEERS) match(version, /^\d+\.\d+\.\d+$/);
});

Deno.test("the searches of the benchmark have exactly the rare lines to find", () => {
  const directory = mkdtempSync(join(tmpdir(), "vise-tree-test-"));
  try {
    makeTree(directory, 600);
    let [rare, files] = [0, 0];
    for (const text of textsBelow(directory)) {
      files++;
      const longNames = text.match(/\w{23,}/g) ?? [];
      deepStrictEqual([...new Set(longNames)].filter((name) => name !== RARE_LITERAL), []);
      deepStrictEqual(text.match(/([A-Z][a-z]+){4}/g) ?? [], longNames.map(() => RARE_PART));
      rare += longNames.length;
    }
    deepStrictEqual([files, rare], [600, 1]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function* textsBelow(directory: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(directory)) {
    const path = join(directory, name);
    if (isDirectory) yield* textsBelow(path);
    else yield Deno.readTextFileSync(path);
  }
}

class Bench implements AsyncDisposable {
  peers: Peer[] = [];
  readonly skipped: string[] = [];
  readonly place;

  private constructor() {
    const tempDir = realpathSync(mkdtempSync(join(tmpdir(), "vise-peers-test-")));
    this.place = { workspace: tempDir, tempDir };
  }

  static async of(servers: readonly string[]): Promise<Bench> {
    const bench = new Bench();
    const skip = (what: string, reason: string) => void bench.skipped.push(`${what}: ${reason}`);
    bench.peers = await makeGivenPeers(servers, { place: bench.place, taken: [], skip });
    return bench;
  }

  async measure(ability: Ability) {
    const { tempDir } = this.place;
    const scene: Scene = { peers: this.peers, corpusDir: tempDir, tempDir, skip: () => {} };
    await using servers = await Servers.start(scene, { place: () => tempDir, needs: ["readSmall"] });
    const contestants = servers.contestants(
      "readSmall",
      async (ask, { session }) => answered(await ask(session, { path: "small.txt" }), "one line of text"),
    );
    const others = servers.contestants("gitStatus", () => Promise.resolve());
    return await measure(ability === "readSmall" ? contestants : others, { rounds: 1, warmUps: 0 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.place.tempDir, { recursive: true });
    return Promise.resolve();
  }
}
