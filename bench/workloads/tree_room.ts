/** Lists and searches a tree of 52,000 source files. */

import { keptCorpus } from "../corpus/kept.ts";
import { makeTree, RARE_LITERAL, RARE_PART } from "../corpus/make_tree.ts";
import { isThere, runProgram } from "../driver/command.ts";
import { answered, type Contestant } from "../driver/measure.ts";
import { watchGrowth } from "../driver/memory.ts";
import { Servers } from "../driver/servers.ts";
import { FLOOR, openRoom, type Room, type Workload } from "../driver/workload.ts";
import { DEFAULT_EXCLUDED_NAMES } from "../../src/engine/search/default_excludes.ts";

const FILES = 52_000;
const LISTED = 10_000;
const COMMON_LITERAL = "return";

interface Wanted {
  readonly name: string;
  readonly query: string;
  readonly isRegex?: true;
  readonly isAnyCase?: true;
  readonly maxResults?: number;
}

/** All but the common one find the 21 lines of the rare literal and nothing else. */
const SEARCHES: readonly Wanted[] = [
  { name: "rare literal", query: RARE_LITERAL },
  { name: "rare literal, any case", query: RARE_LITERAL.toLowerCase(), isAnyCase: true },
  { name: "common literal, 200 lines", query: COMMON_LITERAL, maxResults: 200 },
  { name: "regex with literal", query: "createHash[A-Z]\\w+\\(", isRegex: true },
  { name: "regex without literal", query: "([A-Z][a-z]+){4}", isRegex: true },
  { name: "Unicode class", query: "\\w{23}", isRegex: true },
];

/** The tree is generated once and kept; without ripgrep searches have no floor. */
export const treeRoom: Room = {
  name: "tree",
  open: async (scene) => {
    const root = await keptCorpus(scene.corpusDir, `tree-${FILES}`, (path) => makeTree(path, FILES));
    const hasRipgrep = await isThere("rg");
    if (!hasRipgrep) scene.skip("ripgrep", "not installed, so searches and lists have no floor");
    const servers = await Servers.start(scene, { place: () => root, needs: ["search", "listFiles"] });
    const growth = watchGrowth(servers.all);
    const floor = (command: string[]): Contestant[] =>
      hasRipgrep ? [{ name: FLOOR.ripgrep, run: () => runProgram(command, { cwd: root }) }] : [];
    return openRoom([
      listing(servers, { root, floor: floor(listAndStat()) }),
      ...SEARCHES.map((wanted) => search(wanted, servers, { root, floor: floor(ripgrep(wanted)) })),
      {
        name: "memory growth by searching",
        about:
          "highest resident bytes of the server and its children over all searches and lists above, less what they " +
          "had before",
        unit: "bytes",
        values: growth,
      },
    ], servers);
  },
};

interface Ground {
  readonly root: string;
  readonly floor: readonly Contestant[];
}

function listing(servers: Servers, { root, floor }: Ground): Workload {
  return {
    name: "list 10,000 files",
    about:
      "the first 10,000 of 52,000 in order of path, with sizes and times, or all of them where a server knows no " +
      "limit; the floor is `rg --files` of the tree and one stat(2) for each of 10,000",
    floor: FLOOR.ripgrep,
    contestants: [
      ...floor,
      ...servers.contestants("listFiles", async (list, { session }) => {
        const reply = await list(session, { root, maxResults: LISTED });
        return {
          reply,
          settle: () => {
            const names = JSON.stringify(reply.result).match(/_\d+\.(?:ts|js|py|md|json)\b/g)?.length ?? 0;
            if (names < LISTED) throw new Error(`the answer names ${names} files`);
          },
        };
      }),
    ],
  };
}

function search(wanted: Wanted, servers: Servers, { root, floor }: Ground): Workload {
  const { name, query, isRegex = false, isAnyCase = false, maxResults = 1_000 } = wanted;
  return {
    name: `search: ${name}`,
    about:
      `\`${query}\` in ${FILES.toLocaleString("en-US")} files; the floor is ripgrep with two threads and the same ` +
      "excluded names, output thrown away",
    floor: FLOOR.ripgrep,
    contestants: [
      ...floor,
      ...servers.contestants("search", async (ask, { session }) => {
        const reply = await ask(session, { root, query, isRegex, isCaseSensitive: !isAnyCase, maxResults });
        return answered(reply, query === COMMON_LITERAL ? COMMON_LITERAL : RARE_PART);
      }),
    ],
  };
}

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
