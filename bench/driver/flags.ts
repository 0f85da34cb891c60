/** The command line of the benchmark. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { REPOSITORY } from "../../tests/support/server_command.ts";

/** Shown by `--help`. */
export const USAGE = `deno task bench: Vise beside what would be used instead, and beside the floor

  --only ROOM      one room, or ROOM/TEXT for its workloads whose name contains TEXT; several times for several
  --rounds N       rounds of a workload of normal weight (default 9)
  --corpus DIR     where trees, repositories and public servers are kept (default: below the temporary directory)
  --server 'CMD'   a further server; {workspace} stands for its directory; NAME=CMD names it; several times for several
  --executable P   an executable made earlier, instead of a new one
  --no-peers       without the public servers from the npm registry
  --check          compare with bench/limits.json; exit 1 when a limit is passed, 2 when none could be compared
  --json FILE      where to write the figures (default dist/bench.json)
  --add            keep the figures of workloads that earlier runs left in the JSON file
  --write          write docs/benchmarks.md as well
  --help           this text
`;

/** What one run was asked for. */
export interface Flags {
  readonly only: readonly Wanted[];
  readonly rounds: number;
  readonly corpusDir: string;
  readonly servers: readonly string[];
  readonly executable: string | undefined;
  readonly hasPeers: boolean;
  readonly check: boolean;
  readonly jsonPath: string;
  readonly add: boolean;
  readonly write: boolean;
  readonly help: boolean;
}

/** A room, and what the names of its workloads contain. */
export interface Wanted {
  readonly room: string;
  readonly text: string;
}

/** Reads the command line. @throws Error with one line for the user */
export function readFlags(args: readonly string[], rooms: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      rounds: { type: "string", default: "9" },
      corpus: { type: "string", default: join(tmpdir(), "vise-bench-corpus") },
      server: { type: "string", multiple: true, default: [] },
      executable: { type: "string" },
      "no-peers": { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      json: { type: "string", default: join(REPOSITORY, "dist", "bench.json") },
      add: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds wants a whole number from 1, not ${values.rounds}`);
  }
  return {
    only: values.only.map((text) => readWanted(text, rooms)),
    rounds,
    corpusDir: values.corpus,
    servers: values.server,
    executable: values.executable,
    hasPeers: !values["no-peers"],
    check: values.check,
    jsonPath: values.json,
    add: values.add,
    write: values.write,
    help: values.help,
  };
}

/** Whether a workload was asked for; all are when nothing was named. */
export function isWanted({ only }: Pick<Flags, "only">, at: { room: string; workload?: string }): boolean {
  if (only.length === 0) return true;
  return only.some(({ room, text }) => room === at.room && (at.workload ?? text).includes(text));
}

function readWanted(given: string, rooms: readonly string[]): Wanted {
  const [room = "", ...rest] = given.split("/");
  if (!rooms.includes(room)) throw new Error(`--only knows the rooms ${rooms.join(", ")}, not ${room}`);
  return { room, text: rest.join("/") };
}
