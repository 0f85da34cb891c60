/**
 * Searches and lists a tree of 52,000 files beside ripgrep: `deno run -A bench/search/search_bench.ts [DIRECTORY] [ROUNDS]`.
 *
 * The directory is filled by `make_tree.ts` when it is not there. Each round runs every task once with each program, one
 * after the other, so that both meet the same noise; wall times are medians, processor times sums over all threads.
 * Threads are warm; the first search also pays for starting them. Ripgrep runs with two threads and prints counts.
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { DEFAULT_EXCLUDED_NAMES } from "../../src/engine/search/default_excludes.ts";
import { NO_OUTER_RULES } from "../../src/engine/search/ignore_rules.ts";
import { SearchEngine } from "../../src/engine/search/search_engine.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";

const root = Deno.args[0] ?? "/tmp/vise-search-bench";
const rounds = Number(Deno.args[1] ?? 5);
if (!existsSync(root)) {
  const maker = new URL("./make_tree.ts", import.meta.url).pathname;
  execFileSync(Deno.execPath(), ["run", "-A", maker, root], { stdio: "inherit" });
}

const engine = new SearchEngine({
  workspace: new Workspace(root),
  entryUrl: new URL("../../main.ts", import.meta.url).href,
  outerRules: () => Promise.resolve(NO_OUTER_RULES),
});
const { signal } = new AbortController();
const everywhere = { path: ".", globs: { includes: [], excludes: [] } };

interface Task {
  readonly name: string;
  readonly bar: number;
  readonly ours: () => Promise<number>;
  readonly ripgrep: readonly string[];
}

function search(
  query: string,
  { isRegex = false, isCaseSensitive = true, maxResults = 10_000 } = {},
): () => Promise<number> {
  const request = {
    ...everywhere,
    query,
    isRegex,
    isCaseSensitive,
    contextLines: 0,
    maxPreviewBytes: 512,
    offset: 0,
    maxResults,
  };
  return async () => (await engine.searchText(request, { signal })).lines;
}

const tasks: Task[] = [
  {
    name: "rare literal",
    bar: 1.5,
    ours: search("createHashOfNothingElse"),
    ripgrep: ["-c", "-F", "createHashOfNothingElse"],
  },
  {
    name: "rare literal, any case",
    bar: 1.5,
    ours: search("createhashofnothingelse", { isCaseSensitive: false }),
    ripgrep: ["-c", "-i", "-F", "createhashofnothingelse"],
  },
  {
    name: "common literal, 200 lines",
    bar: 1.5,
    ours: search("return", { maxResults: 200 }),
    ripgrep: ["-c", "-F", "return"],
  },
  {
    name: "regex with literal",
    bar: 1.5,
    ours: search("createHash[A-Z]\\w+\\(", { isRegex: true }),
    ripgrep: ["-c", "createHash[A-Z]\\w+\\("],
  },
  {
    name: "\\b(todo|fixme)\\b, any case",
    bar: 1.5,
    ours: search("\\b(todo|fixme)\\b", { isRegex: true, isCaseSensitive: false }),
    ripgrep: ["-c", "-i", "\\b(todo|fixme)\\b"],
  },
  {
    name: "regex without literal",
    bar: 5,
    ours: search("[0-9]{4,}[a-z]{3}", { isRegex: true }),
    ripgrep: ["-c", "[0-9]{4,}[a-z]{3}"],
  },
  { name: "Unicode class", bar: 5, ours: search("\\w{40}", { isRegex: true }), ripgrep: ["-c", "\\w{40}"] },
  {
    name: "list 10,000 files",
    bar: 1.5,
    ours: async () => {
      const page = { offset: 0, maxResults: 10_000, order: "path" as const };
      return (await engine.listFiles({ ...everywhere, includeHidden: false, includeIgnored: false, ...page }, {
        signal,
      })).files.length;
    },
    // A list with sizes and times, as ours is: rg --files and one stat for each.
    ripgrep: ["--files"],
  },
];

interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function measureOurs(task: Task): Promise<Sample> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await task.ours();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}

const excludes = [...DEFAULT_EXCLUDED_NAMES].flatMap((name) => ["-g", `!${name}`]).join(" ");

function measureRipgrep(task: Task): Sample {
  const isListing = task.ripgrep[0] === "--files";
  const args = task.ripgrep.map((argument) => `'${argument}'`).join(" ");
  const command = isListing
    ? `rg --no-config --files ${excludes} . | head -10000 | tr '\\n' '\\0' | xargs -0 stat -c %s >/dev/null`
    : `rg --no-config -j2 --crlf ${excludes.replaceAll("!", "\\!")} ${args} . >/dev/null`;
  const start = performance.now();
  const timed = execFileSync("bash", [
    "-c",
    `set +H; TIMEFORMAT='%U %S'; { time { ${command}; } 2>/dev/null; } 2>&1 || true`,
  ], {
    cwd: root,
    encoding: "utf8",
  });
  const wallMs = performance.now() - start;
  const [user = 0, system = 0] = (timed.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { wallMs, cpuMs: (user + system) * 1_000 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

const before = Deno.memoryUsage().rss;
const cold = await measureOurs(tasks[0] as Task);
console.log(`first search, threads started: ${cold.wallMs.toFixed(0)} ms`);
const samples = tasks.map(() => ({ ours: [] as Sample[], ripgrep: [] as Sample[] }));
for (let round = 0; round < rounds; round++) {
  for (const [index, task] of tasks.entries()) {
    samples[index]?.ours.push(await measureOurs(task));
    samples[index]?.ripgrep.push(measureRipgrep(task));
  }
}
console.log("task                          ours ms   rg ms   ratio  bar   ours cpu   rg cpu   ratio");
for (const [index, task] of tasks.entries()) {
  const { ours = [], ripgrep = [] } = samples[index] ?? {};
  const of = (list: readonly Sample[], key: keyof Sample) => median(list.map((sample) => sample[key]));
  const [wall, other] = [of(ours, "wallMs"), of(ripgrep, "wallMs")];
  const [cpu, otherCpu] = [of(ours, "cpuMs"), of(ripgrep, "cpuMs")];
  const cells = [wall.toFixed(0).padStart(8), other.toFixed(0).padStart(7), (wall / other).toFixed(2).padStart(7)];
  const cpuCells = [
    cpu.toFixed(0).padStart(10),
    otherCpu.toFixed(0).padStart(8),
    (cpu / otherCpu).toFixed(2).padStart(7),
  ];
  console.log(task.name.padEnd(29), ...cells, String(task.bar).padStart(4), ...cpuCells);
}
console.log(`memory: ${((Deno.memoryUsage().rss - before) / 1e6).toFixed(0)} MB more than before the first search`);
engine.close();
