/** Lists and searches a tree of 52,000 source files. */

import { keptCorpus } from "../corpus/kept.ts";
import { makeTree, RARE_LITERAL } from "../corpus/make_tree.ts";
import { isThere, runProgram } from "../driver/command.ts";
import type { Row } from "../driver/measure.ts";
import { forgetPeak, memoryOf } from "../driver/memory.ts";
import { Servers } from "../driver/servers.ts";
import { FLOOR, type Room, type Workload } from "../driver/workload.ts";
import { DEFAULT_EXCLUDED_NAMES } from "../../src/engine/search/default_excludes.ts";

const FILES = 52_000;
const LISTED = 10_000;

interface Wanted {
  readonly name: string;
  readonly query: string;
  readonly isRegex?: true;
  readonly isAnyCase?: true;
  readonly maxResults?: number;
}

const SEARCHES: readonly Wanted[] = [
  { name: "rare literal", query: RARE_LITERAL },
  { name: "rare literal, any case", query: RARE_LITERAL.toLowerCase(), isAnyCase: true },
  { name: "common literal, 200 lines", query: "return", maxResults: 200 },
  { name: "regex with literal", query: "createHash[A-Z]\\w+\\(", isRegex: true },
  { name: "regex without literal", query: "[0-9]{4,}[a-z]{3}", isRegex: true },
  { name: "Unicode class", query: "\\w{40}", isRegex: true },
];

/** The tree is generated once and kept; without ripgrep searches have no floor. */
export const treeRoom: Room = {
  name: "tree",
  open: async (scene) => {
    const root = await keptCorpus(scene.corpusDir, `tree-${FILES}`, (path) => makeTree(path, FILES));
    const hasRipgrep = await isThere("rg");
    if (!hasRipgrep) scene.skip("ripgrep", "not installed, so searches have no floor");
    const servers = await Servers.start(scene, { place: () => root, needs: ["search", "listFiles"] });
    const atRest = new Map(servers.ours.map(({ peer, session }) => [peer.name, memoryOf(session.child.pid ?? 0).now]));
    for (const { session } of servers.ours) forgetPeak(session.child.pid ?? 0);
    const searches = SEARCHES.map((wanted): Workload => ({
      name: `search: ${wanted.name}`,
      about:
        `\`${wanted.query}\` in ${FILES} files; ripgrep with two threads, the same excluded names, output thrown away`,
      floor: FLOOR.ripgrep,
      contestants: [
        ...(hasRipgrep
          ? [{ name: FLOOR.ripgrep, run: () => runProgram(ripgrep(wanted), { cwd: root, codes: [0, 1] }) }]
          : []),
        ...servers.contestants("search", (search, { session }) =>
          search(session, {
            root,
            query: wanted.query,
            isRegex: wanted.isRegex === true,
            isCaseSensitive: wanted.isAnyCase !== true,
            maxResults: wanted.maxResults ?? 1_000,
          })),
      ],
    }));
    const listing: Workload = {
      name: "list 10,000 files",
      about:
        "the first 10,000 of 52,000 in order of path, with sizes and times; the floor is `rg --files` of the tree and one stat(2) for each of 10,000",
      floor: FLOOR.ripgrep,
      contestants: [
        ...(hasRipgrep ? [{ name: FLOOR.ripgrep, run: () => runProgram(listAndStat(), { cwd: root }) }] : []),
        ...servers.contestants(
          "listFiles",
          (list, { session }) => list(session, { root, maxResults: LISTED }),
        ),
      ],
    };
    const growth: Workload = {
      name: "memory growth by searching",
      about: "highest resident bytes over all searches and lists above, less what the server had before",
      unit: "bytes",
      values: () =>
        Promise.resolve(servers.ours.map(({ peer, session }): Row => {
          const grown = memoryOf(session.child.pid ?? 0).peak - (atRest.get(peer.name) ?? 0);
          return { contestant: peer.name, p50: grown, p95: grown, samples: 1 };
        })),
    };
    return {
      workloads: [listing, ...searches, growth],
      [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
    };
  },
};

const EXCLUDES = [...DEFAULT_EXCLUDED_NAMES].flatMap((name) => ["-g", `!${name}`]);

function ripgrep({ query, isRegex, isAnyCase }: Wanted): string[] {
  const flags = [...(isRegex ? [] : ["-F"]), ...(isAnyCase ? ["-i"] : [])];
  return ["rg", "--no-config", "-j2", "--crlf", "-c", ...EXCLUDES, ...flags, "-e", query, "."];
}

function listAndStat(): string[] {
  const excludes = EXCLUDES.map((word) => `'${word}'`).join(" ");
  // The whole tree is walked, as for an answer in order of path: a pipe closed after 10,000 names would stop the walk.
  const list = `rg --no-config --files ${excludes} . | { head -${LISTED}; cat > /dev/null; } | tr '\\n' '\\0'`;
  return ["sh", "-c", `${list} | xargs -0 stat -c %s > /dev/null`];
}
