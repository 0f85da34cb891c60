/**
 * Bars of the command room, in one process without a client:
 *
 *     deno run -A bench/commands/engine_bench.ts
 *
 * `exec true` at most twice a bare posix_spawn and wait of the same shell; 1 GiB of output at no less than half the
 * speed of `cat > /dev/null` on the same pipe with at most 32 MB more memory; a terminal round trip within 2 ms.
 */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { readFlags } from "../../src/cli/read_flags.ts";
import { resolveConfig } from "../../src/config/resolve_config.ts";
import { makeEngines } from "../../src/engine/make_engines.ts";
import type { RunEngine, StartRequest } from "../../src/engine/run/run_engine.ts";
import { openLibc } from "../../src/platform/linux/libc.ts";
import { spawnProcess } from "../../src/platform/linux/spawn_process.ts";

const ROUNDS = 200;
const GIBIBYTE = 1024 ** 3;

const root = realpathSync(mkdtempSync(join(tmpdir(), "vise-bench-")));
try {
  for (const mode of ["dangerous", "trusted"] as const) await measure(mode);
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measure(permissionMode: "dangerous" | "trusted"): Promise<void> {
  const { raw } = readFlags(["--workspace", root, "--permission-mode", permissionMode], {});
  const config = resolveConfig(raw, {
    environment: Deno.env.toObject(),
    places: { canonical: (path) => path, isDirectory: () => true },
    currentDirectory: root,
    self: { entryUrl: "", command: null },
  });
  const engines = makeEngines(config, console.error);
  const run = await engines.run();
  console.log(`mode ${permissionMode}`);
  await latency(run);
  await flood(run);
  await roundTrip(run);
  await engines.shutDown();
}

async function latency(run: RunEngine): Promise<void> {
  const libc = openLibc({ waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32" } });
  const bare: number[] = [];
  const ours: number[] = [];
  // In turns, so that the load of the machine meets both.
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(
      await timed(() => {
        const pid = spawnProcess({
          launch: { path: "/bin/sh", argv: ["sh", "-c", "true"], inherit: [], statusRead: null, release: () => {} },
          env: { PATH: "/usr/bin:/bin" },
          cwd: root,
          stdio: { stdin: null, stdout: 1, stderr: 2 },
        });
        libc.waitpid(pid, new Uint8Array(4), 0);
      }),
    );
    ours.push(await timed(() => run.exec(request({ cmd: "true" }))));
  }
  for (const [name, at] of [["median", 0.5], ["fastest tenth", 0.1]] as const) {
    const [bareMs, oursMs] = [quantile(bare, at), quantile(ours, at)];
    const ratio = (oursMs / bareMs).toFixed(2);
    console.log(`  true, ${name}: bare ${bareMs.toFixed(2)} ms, exec ${oursMs.toFixed(2)} ms, ratio ${ratio}`);
  }
}

async function flood(run: RunEngine): Promise<void> {
  const script = `head -c ${GIBIBYTE} /dev/zero`;
  const startedAt = performance.now();
  await new Deno.Command("/bin/sh", { args: ["-c", `${script} | cat > /dev/null`] }).output();
  const bareMs = performance.now() - startedAt;
  const before = process.memoryUsage().rss;
  let lag = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    lag = Math.max(lag, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  const begin = performance.now();
  const report = await run.exec(request({ cmd: script }));
  const ms = performance.now() - begin;
  clearInterval(timer);
  const growth = (process.memoryUsage().rss - before) / 1e6;
  console.log(
    `  1 GiB: cat ${bareMs.toFixed(0)} ms, exec ${ms.toFixed(0)} ms, speed ${(bareMs / ms).toFixed(2)} of cat, ` +
      `memory +${growth.toFixed(1)} MB, worst lag ${lag.toFixed(0)} ms, ${report.totals.stdout} bytes`,
  );
}

async function roundTrip(run: RunEngine): Promise<void> {
  const started = await run.exec(
    request({ cmd: "stty -echo; exec cat", yieldMs: 300, terminal: { columns: 80, rows: 24 } }),
  );
  const command = run.find(started.id);
  const take = () => command.stdout.takeWindow({ maxBytes: 100, maxJsonBytes: Infinity, ended: false, rendered: true });
  take();
  const ms = await median(async () => {
    command.child.write(new TextEncoder().encode("x\n"));
    await command.waitForNews(5000, { quietMs: 0, collectMs: 0 });
    take();
  });
  console.log(`  terminal round trip ${ms.toFixed(2)} ms`);
  await run.kill({ id: started.id, signal: "KILL", waitMs: 0, killWaitMs: 2000, maxOutputBytes: 100 });
}

function request(over: Partial<StartRequest>): StartRequest {
  return {
    cmd: "",
    workdir: ".",
    cwd: root,
    env: {},
    hasTerminal: over.terminal !== undefined && over.terminal !== null,
    principal: "",
    canAsk: false,
    deadlineMs: 60_000,
    yieldMs: 30_000,
    maxOutputBytes: 32_768,
    stdin: "",
    terminal: null,
    keepStdinOpen: false,
    signal: new AbortController().signal,
    ...over,
  };
}

async function median(action: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(action));
  return quantile(times, 0.5);
}

async function timed(action: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

/** On a busy machine the fastest tenth tells more than the median: a child that waits for a processor costs any server the same. */
function quantile(times: number[], at: number): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length * at)] as number;
}
