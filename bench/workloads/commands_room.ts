/** Commands: the shortest one, floods of output, and a terminal. */

import { runProgram } from "../driver/command.ts";
import type { Contestant, Row } from "../driver/measure.ts";
import { forgetPeak, memoryOf } from "../driver/memory.ts";
import { ownPlace, Servers } from "../driver/servers.ts";
import { FLOOR, type Room, type Workload } from "../driver/workload.ts";
import { openLibc } from "../../src/platform/linux/libc.ts";
import { spawnProcess } from "../../src/platform/linux/spawn_process.ts";
import { openOwnEngine, type OwnEngine } from "./own_engine.ts";

const GIBIBYTE = 1024 ** 3;
const MEBIBYTES_16 = 16 * 1024 ** 2;
const ROUND_TRIPS = 20;
const TRUE_CALLS = 5;
/** Contestant name of the engine in this process. */
const ENGINE = "vise engine, no server";

/** Against the same shell started directly, and against the engine without a server. */
export const commandsRoom: Room = {
  name: "commands",
  open: async (scene) => {
    const at = ownPlace(scene, "commands");
    const servers = await Servers.start(scene, { place: at, needs: ["exec"] });
    const cwd = servers.all[0]?.workspace ?? scene.tempDir;
    const engine = Deno.build.os === "linux" ? await openOwnEngine(`${scene.tempDir}/commands/engine`) : null;
    if (engine === null) scene.skip(ENGINE, "only on Linux");
    return {
      workloads: [
        shortest(servers, engine),
        flood(servers, { name: "flood of 16 MiB", bytes: MEBIBYTES_16, all: true, cwd }),
        flood(servers, { name: "flood of 1 GiB", bytes: GIBIBYTE, all: false, cwd }),
        floodMemory(servers),
        ...(engine === null ? [] : [await roundTrip(engine)]),
      ],
      [Symbol.asyncDispose]: async () => {
        await servers[Symbol.asyncDispose]();
        await engine?.[Symbol.asyncDispose]();
      },
    };
  },
};

function shortest(servers: Servers, engine: OwnEngine | null): Workload {
  return {
    name: "exec true",
    about:
      `the shell command \`true\`; the floor is posix_spawn and wait of the same shell; mean of ${TRUE_CALLS} calls`,
    floor: FLOOR.spawn,
    weight: "quick",
    contestants: [
      ...(engine === null ? [] : [
        several(FLOOR.spawn, () => Promise.resolve(spawnAndWait())),
        several(ENGINE, () => engine.run.exec(engine.request({ cmd: "true" }))),
      ]),
      ...servers.contestants("exec", (exec, { session }) => exec(session, "true")).map(({ name, run }) =>
        several(name, run)
      ),
    ],
  };
}

function several(name: string, act: () => Promise<unknown>): Contestant {
  return {
    name,
    run: async () => {
      const startedAt = performance.now();
      for (let i = 0; i < TRUE_CALLS; i++) await act();
      return (performance.now() - startedAt) / TRUE_CALLS;
    },
  };
}

function spawnAndWait(): void {
  const libc = openLibc({ waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32" } });
  const pid = spawnProcess({
    launch: { path: "/bin/sh", argv: ["sh", "-c", "true"], inherit: [], statusRead: null, release: () => {} },
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
    stdio: { stdin: null, stdout: 1, stderr: 2 },
  });
  libc.waitpid(pid, new Uint8Array(4), 0);
}

interface Flood {
  readonly name: string;
  readonly bytes: number;
  /** Whether public peers take part: some keep everything in memory. */
  readonly all: boolean;
  readonly cwd: string;
}

function flood(servers: Servers, { name, bytes, all, cwd }: Flood): Workload {
  const script = `head -c ${bytes} /dev/zero`;
  const ours = new Set(servers.ours.map(({ peer }) => peer.name));
  return {
    name,
    about: `\`${script}\`; the floor pipes it to \`cat > /dev/null\``,
    floor: FLOOR.cat,
    weight: all ? "normal" : "slow",
    contestants: [
      { name: FLOOR.cat, run: () => runProgram(["sh", "-c", `${script} | cat > /dev/null`], { cwd }) },
      ...servers.contestants("exec", (exec, { session }) => exec(session, script)).filter((contestant) =>
        all || ours.has(contestant.name)
      ),
    ],
  };
}

function floodMemory(servers: Servers): Workload {
  return {
    name: "memory growth by a flood",
    about: "highest resident bytes of the server during 1 GiB of output, less what it had before",
    unit: "bytes",
    values: async () => {
      const rows: Row[] = [];
      for (const { peer, session } of servers.ours) {
        const pid = session.child.pid ?? 0;
        const before = memoryOf(pid).now;
        forgetPeak(pid);
        await peer.dialect.exec?.(session, `head -c ${GIBIBYTE} /dev/zero`);
        const grown = memoryOf(pid).peak - before;
        rows.push({ contestant: peer.name, p50: grown, p95: grown, samples: 1 });
      }
      return rows;
    },
  };
}

/** The tools collect for some time after the first byte (O-40), so what the terminal costs is measured at the engine. */
async function roundTrip({ run, request }: OwnEngine): Promise<Workload> {
  const terminal = { columns: 80, rows: 24 };
  const started = await run.exec(request({ cmd: "stty -echo; exec cat", yieldMs: 300, terminal }));
  const command = run.find(started.id);
  const take = () => command.stdout.takeWindow({ maxBytes: 100, maxJsonBytes: Infinity, ended: false, rendered: true });
  take();
  const line = new TextEncoder().encode("x\n");
  return {
    name: "terminal round trip",
    about: `one line to \`cat\` in a terminal and back, mean of ${ROUND_TRIPS}`,
    weight: "quick",
    contestants: [{
      name: ENGINE,
      run: async () => {
        const startedAt = performance.now();
        for (let i = 0; i < ROUND_TRIPS; i++) {
          command.child.write(line);
          await command.waitForNews(5_000, { quietMs: 0, collectMs: 0 });
          take();
        }
        return (performance.now() - startedAt) / ROUND_TRIPS;
      },
    }],
  };
}
