/** Retention, limits and input rules of the engine itself, with commands that nothing confines. */

import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import process from "node:process";
import type { ToolError } from "../../base/tool_error.ts";
import type { Limits } from "../../config/config.ts";
import type { ChildHost } from "../../platform/child.ts";
import { createChildHost } from "../../platform/create_child_host.ts";
import { PortableChildHost } from "../../platform/portable_child_host.ts";
import { BareSurroundings } from "./bare_surroundings.ts";
import { CANONICAL_LINE_BYTES, longestLineBytes } from "./command_input.ts";
import { readOutput } from "./read_output.ts";
import { RunEngine } from "./run_engine.ts";
import type { StartRequest } from "./run_request.ts";

const LIMITS: Limits = {
  maxActiveCommands: 16,
  maxRetainedCommands: 32,
  maxOutputBytesTotal: 16_777_216,
  streamBufferBytes: 65_536,
  commandTtlS: 300,
  maxProcesses: null,
  maxMemoryMb: null,
};

interface Scene extends AsyncDisposable {
  readonly engine: RunEngine;
  exec(cmd: string, more?: Partial<StartRequest>): ReturnType<RunEngine["exec"]>;
}

function open(limits: Partial<Limits> = {}, host: ChildHost = createChildHost()): Scene {
  const surroundings = new BareSurroundings({ environment: { PATH: process.env["PATH"] ?? "" }, shell: null });
  const engine = new RunEngine({ host, surroundings, limits: { ...LIMITS, ...limits } });
  return {
    engine,
    exec: (cmd, more = {}) =>
      engine.exec({
        cmd,
        workdir: ".",
        cwd: "/tmp",
        env: {},
        hasTerminal: false,
        principal: "",
        canAsk: false,
        deadlineMs: 60_000,
        yieldMs: 30_000,
        maxOutputBytes: 32_768,
        stdin: "",
        terminal: null,
        keepStdinOpen: false,
        signal: new AbortController().signal,
        ...more,
      }),
    [Symbol.asyncDispose]: () => engine.shutDown(),
  };
}

Deno.test("the oldest finished commands are dropped by number", async () => {
  await using scene = open({ maxRetainedCommands: 2 });
  const ids: string[] = [];
  for (let round = 0; round < 4; round++) ids.push((await scene.exec(`echo ${round}`)).id);
  const kept = ids.map((id) => {
    try {
      return scene.engine.find(id).id === id;
    } catch {
      return false;
    }
  });
  deepStrictEqual(kept, [false, false, true, true]);
});

Deno.test("the oldest finished commands are dropped by bytes, a running one never", async () => {
  await using scene = open({ maxOutputBytesTotal: 100_000 });
  const running = await scene.exec("head -c 60000 /dev/zero; sleep 60", { yieldMs: 300 });
  const first = await scene.exec("head -c 60000 /dev/zero");
  const second = await scene.exec("head -c 30000 /dev/zero");
  throws(() => scene.engine.find(first.id), /COMMAND_NOT_FOUND|no such id/);
  strictEqual(scene.engine.find(second.id).finished, true);
  strictEqual(scene.engine.find(running.id).finished, false);
});

Deno.test("a finished command is kept for its time after the end was reported, and as long as nobody was told", async () => {
  await using scene = open({ commandTtlS: 0 });
  const told = await scene.exec("true");
  const untold = await scene.exec("sleep 0.3", { yieldMs: 0 });
  await scene.exec("sleep 1");
  throws(() => scene.engine.find(told.id), /no such id/);
  strictEqual(scene.engine.find(untold.id).finished, true);
});

Deno.test("a reference is read by stream and offset and never moves the cursor of the pollers", async () => {
  await using scene = open();
  const started = await scene.exec("echo one; sleep 0.4; echo two", { yieldMs: 200 });
  strictEqual(started.stdout.text, "one\n");
  const request = { stream: undefined, offset: 0, limitBytes: 100, encoding: "utf-8" } as const;
  strictEqual(readOutput(scene.engine, { ...request, ref: started.id }).content, "one\n");
  const polled = await scene.engine.poll({
    id: started.id,
    chars: "",
    closeStdin: false,
    yieldMs: 5_000,
    maxOutputBytes: 100,
    signal: new AbortController().signal,
  });
  strictEqual(polled.stdout.text, "two\n");
  strictEqual(
    readOutput(scene.engine, { ...request, ref: `command:${started.id}:stdout`, offset: 4 }).content,
    "two\n",
  );
});

Deno.test("commands of the portable host run, take input, are killed with their group and have no terminal", async () => {
  await using scene = open({}, new PortableChildHost("terminals are not available in this test"));
  const counted = await scene.exec("wc -c; exit 4", { stdin: "x".repeat(300_000) });
  deepStrictEqual([counted.stdout.text.trim(), counted.exitCode], ["300000", 4]);
  const started = await scene.exec("sleep 61 & sleep 61", { yieldMs: 200 });
  const killed = await scene.engine.kill({
    id: started.id,
    signal: "TERM",
    waitMs: 2_000,
    killWaitMs: 1_000,
    maxOutputBytes: 100,
  });
  deepStrictEqual([killed.killStatus, killed.signal, killed.signalSent], ["terminated", "SIGTERM", "SIGTERM"]);
  await rejects(scene.exec("true", { terminal: { columns: 80, rows: 24 } }), /Cannot give the command a terminal/);
  await rejects(scene.exec("true", { env: { A: "x".repeat(200_000) } }), (fault: ToolError) => {
    return fault.code === "COMMAND_SPAWN_FAILED" && fault.details["errno"] === "E2BIG" &&
      /131071 bytes/.test(String(fault.details["retry_hint"]));
  });
});

Deno.test("a killed command leaves nothing behind in its report, also when the end of its output is seen last", {
  ignore: process.platform !== "linux",
}, async () => {
  const real = createChildHost();
  const late: ChildHost = Object.create(real, {
    spawn: {
      value: (request: Parameters<ChildHost["spawn"]>[0]) => {
        const { events } = request;
        const streamEnded: typeof events.streamEnded = (stream) =>
          void setTimeout(() => events.streamEnded(stream), 150);
        return real.spawn({ ...request, events: { ...events, streamEnded } });
      },
    },
    processes: { value: real.processes },
  });
  await using scene = open({}, late);
  // The descendants outlive the first process by some hundred milliseconds.
  const cmd = "(trap '' TERM; echo ready; sleep 0.4) & trap 'exit 0' TERM; wait";
  const started = await scene.exec(cmd, { yieldMs: 300 });
  strictEqual(started.stdout.text, "ready\n");
  const killed = await scene.engine.kill({
    id: started.id,
    signal: "TERM",
    waitMs: 10_000,
    killWaitMs: 1_000,
    maxOutputBytes: 100,
  });
  deepStrictEqual([killed.killStatus, killed.status, killed.backgroundProcesses], ["terminated", "terminated", 0]);
});

Deno.test("nothing starts any more once the engine was shut down, and a second shutdown is quiet", async () => {
  const scene = open();
  const started = await scene.exec("sleep 60", { yieldMs: 0 });
  await Promise.all([scene.engine.shutDown(), scene.engine.shutDown()]);
  ok(scene.engine.find(started.id).finished);
  await rejects(scene.exec("true"), /shutting down/);
});

Deno.test("longestLineBytes() measures lines as the line discipline ends them", () => {
  strictEqual(longestLineBytes("x".repeat(5_000)), 5_000);
  strictEqual(longestLineBytes(`${"x".repeat(3_000)}\n${"\u20ac".repeat(1_000)}\r${"y".repeat(10)}`), 3_000);
  strictEqual(longestLineBytes(""), 0);
  ok(CANONICAL_LINE_BYTES === 4_095);
});

Deno.test("a start that is overtaken by the shutdown never runs", async () => {
  const scene = open();
  const { surroundings } = scene.engine;
  const prepare = surroundings.prepare.bind(surroundings);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => release = resolve);
  surroundings.prepare = async (command, start) => {
    await held;
    return await prepare(command, start);
  };
  const started = scene.exec("sleep 60", { yieldMs: 0 });
  const refused = rejects(started, /shutting down/);
  await scene.engine.shutDown();
  release();
  await refused;
  deepStrictEqual(scene.engine.summaries(), []);
});

Deno.test("a launch that fails before its program is reported and kept nowhere", async () => {
  await using scene = open();
  const { surroundings } = scene.engine;
  const prepare = surroundings.prepare.bind(surroundings);
  surroundings.prepare = async (command, start) => {
    const prepared = await prepare(command, start);
    return { ...prepared, launch: { ...prepared.launch, path: "/no/such/program" } };
  };
  await rejects(scene.exec("true"), {
    code: "COMMAND_SPAWN_FAILED",
    details: {
      errno: "ENOENT",
      reason: "posix_spawn",
      retry_hint: "Nothing was started. `vise doctor` on the host shows what commands need.",
    },
  });
  deepStrictEqual(scene.engine.summaries(), []);
});
