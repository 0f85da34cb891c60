/** Commands: the shortest one, floods of output, and a terminal. */

import { openLibc } from "../../src/platform/linux/libc.ts";
import { spawnProcess } from "../../src/platform/linux/spawn_process.ts";
import { runProgram } from "../driver/command.ts";
import { answered, type Contestant } from "../driver/measure.ts";
import { watchGrowth } from "../driver/memory.ts";
import { ownPlace, type RunningServer, Servers } from "../driver/servers.ts";
import { FLOOR, openRoom, type Room, type Workload } from "../driver/workload.ts";
import { openOwnEngine, type OwnEngine } from "./own_engine.ts";

const GIBIBYTE = 1024 ** 3;
const MEBIBYTES_16 = 16 * 1024 ** 2;
const ROUND_TRIPS = 20;
const TRUE_CALLS = 5;

/** Against the same shell started directly, and against the engine without a server. */
export const commandsRoom: Room = {
  name: "commands",
  open: async (scene) => {
    const place = ownPlace(scene, "commands");
    const servers = await Servers.start(scene, { place, needs: ["exec"] });
    const growth = watchGrowth(servers.ours);
    const engine = Deno.build.os === "linux" ? await openOwnEngine(place({ name: "engine" })) : null;
    if (engine === null) scene.skip(FLOOR.engine, "only on Linux");
    return openRoom(
      [
        shortest(servers, engine),
        flood(servers, { name: "flood of 16 MiB", bytes: MEBIBYTES_16 }),
        flood(servers, { name: "flood of 1 GiB", bytes: GIBIBYTE }),
        {
          name: "memory growth by a flood",
          about:
            "highest resident bytes of the server over the commands above, 1 GiB of output among them, less what it had " +
            "before; public servers keep all output and take no part",
          unit: "bytes",
          values: growth,
        },
        ...(engine === null ? [] : [roundTrip(engine)]),
        terminalCall(servers.ours),
      ],
      servers,
      engine,
    );
  },
};

function shortest(servers: Servers, engine: OwnEngine | null): Workload {
  const inProcess: Contestant[] = engine === null ? [] : [
    { name: FLOOR.spawn, run: () => Promise.resolve(spawnAndWait()) },
    { name: FLOOR.engine, run: async () => void await engine.run.exec(engine.request({ cmd: "true" })) },
  ];
  return {
    name: "exec true",
    about:
      `the shell command \`true\`; the floor is posix_spawn and wait of the same shell; mean of ${TRUE_CALLS} calls`,
    floor: FLOOR.spawn,
    weight: "quick",
    contestants: [
      ...inProcess,
      ...servers.contestants("exec", async (exec, { session }) => ({ reply: await exec(session, { cmd: "true" }) })),
    ].map((contestant): Contestant => ({ ...contestant, calls: TRUE_CALLS })),
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

/** Public servers keep all output in memory, so the large one is not for them. */
function flood(servers: Servers, { name, bytes }: { name: string; bytes: number }): Workload {
  const cmd = `head -c ${bytes} /dev/zero && echo flooded`;
  const isLarge = bytes > MEBIBYTES_16;
  const ours = new Set(servers.ours.map(({ peer }) => peer.name));
  const contestants = servers.contestants(
    "exec",
    async (exec, { session }) => answered(await exec(session, { cmd }), "flooded"),
  );
  return {
    name,
    about: `\`${cmd}\`; the floor pipes it to \`cat > /dev/null\``,
    floor: FLOOR.cat,
    weight: isLarge ? "slow" : "normal",
    contestants: [
      { name: FLOOR.cat, run: () => runProgram(["sh", "-c", `{ ${cmd}; } | cat > /dev/null`], { cwd: "/" }) },
      ...contestants.filter((contestant) => !isLarge || ours.has(contestant.name)),
    ],
  };
}

/** The tools collect for some time after the first byte (O-40), so what the terminal costs is measured at the engine. */
function roundTrip({ run, request }: OwnEngine): Workload {
  const cmd = "stty -echo; exec cat";
  let id: string | undefined;
  const line = new TextEncoder().encode("x\n");
  return {
    name: "terminal round trip",
    about: `one line to \`cat\` in a terminal and back, mean of ${ROUND_TRIPS}`,
    weight: "quick",
    contestants: [{
      name: FLOOR.engine,
      calls: ROUND_TRIPS,
      prepare: async () => {
        id ??= (await run.exec(request({ cmd, yieldMs: 300, terminal: { columns: 80, rows: 24 } }))).id;
      },
      run: async () => {
        const command = run.find(id ?? "");
        command.child.write(line);
        await command.waitForNews(5_000, { quietMs: 0, collectMs: 0 });
        command.stdout.takeWindow({ maxBytes: 100, maxJsonBytes: Infinity, ended: false, rendered: true });
      },
    }],
  };
}

/** What a client waits for: the server gathers for up to 250 ms after the first new output, so that a prompt comes whole. */
function terminalCall(servers: readonly RunningServer[]): Workload {
  return {
    name: "terminal round trip, whole call",
    about:
      "one line to `cat` in a terminal and back through `write_stdin`, which gathers output for up to 250 ms; no " +
      "public server here gives a terminal",
    contestants: servers.map(({ peer, session }): Contestant => {
      let id: string | undefined;
      return {
        name: peer.name,
        prepare: async () => {
          if (id !== undefined) return;
          const cmd = "stty -echo; exec cat";
          id = (await session.call("exec_command", { cmd, tty: true, yield_time_ms: 300 })).result.structuredContent
            .command_id;
        },
        run: async () =>
          answered(
            await session.call("write_stdin", { command_id: id, chars: "marked\n", yield_time_ms: 5_000 }),
            "marked",
          ),
      };
    }),
  };
}
