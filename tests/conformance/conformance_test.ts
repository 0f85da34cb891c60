/**
 * The official conformance suite against the product and, for what it can only try with tools of its own naming, against
 * a fixture catalog on the same protocol and HTTP rooms.
 */

import { strictEqual } from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parse, stringify } from "yaml";
import { REPOSITORY, serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const SUITE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
type Subject = "product" | "fixtures";

const expected = parse(readFileSync(`${REPOSITORY}tests/conformance/expected_failures.yml`, "utf8")) as Record<
  Subject,
  Record<string, string[]>
>;

for (const subject of ["product", "fixtures"] as const) {
  for (const revision of REVISIONS) {
    Deno.test(`the ${subject} pass the conformance suite of ${revision} but for what is excused with a reason`, async () => {
      using ws = new TempWorkspace();
      const server = start(subject, ws);
      try {
        const url = await firstUrl(server);
        const failures = [...expected[subject]["any"] ?? [], ...expected[subject][revision] ?? []];
        const baseline = `${ws.parent}/expected.yml`;
        Deno.writeTextFileSync(baseline, stringify({ server: failures }));
        const args = ["server", "--url", url, "--requirements", revision, "--expected-failures", baseline];
        const ended = spawnSync(Deno.execPath(), ["run", "--quiet", "-A", "--no-config", "--no-lock", SUITE, ...args], {
          cwd: ws.parent,
          encoding: "utf8",
          env: { ...Deno.env.toObject(), NO_COLOR: "1" },
        });
        strictEqual(ended.status, 0, tail(ended.stdout + ended.stderr));
      } finally {
        server.kill("SIGTERM");
      }
    });
  }
}

function start(subject: Subject, ws: TempWorkspace): ChildProcess {
  if (subject === "product") {
    const [program, ...args] = serverCommand();
    return spawn(program, [...args, "--http", "127.0.0.1:0", "--workspace", ws.root]);
  }
  return spawn(Deno.execPath(), ["run", "--quiet", "-A", `${REPOSITORY}tests/conformance/fixture_server.ts`]);
}

/** The product prints its address on standard error, the fixtures on standard output. */
async function firstUrl(server: ChildProcess): Promise<string> {
  for (const stream of [server.stdout, server.stderr]) if (stream === null) throw new Error("the server has no output");
  return await new Promise((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      createInterface({ input: stream as NodeJS.ReadableStream }).on("line", (line) => {
        const url = /https?:\/\/[\d.]+:\d+\/mcp/.exec(line)?.[0];
        if (url !== undefined) resolve(url);
      });
    }
    server.once("close", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

function tail(output: string): string {
  return output.slice(output.indexOf("=== SUMMARY"));
}
