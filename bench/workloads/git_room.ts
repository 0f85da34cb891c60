/** The git tools against the bare commands that they wrap. */

import { keptCorpus } from "../corpus/kept.ts";
import { CHANGED_FILE, makeRepository, NEW_FILE, STAGED_FILE, TOUCHED_FILE } from "../corpus/make_repository.ts";
import { isThere, runProgram } from "../driver/command.ts";
import { answered } from "../driver/measure.ts";
import { Servers } from "../driver/servers.ts";
import { FLOOR, openRoom, type Room, type Workload } from "../driver/workload.ts";
import type { Ability } from "../peers/dialect.ts";

interface Work {
  readonly ability: Extract<Ability, `git${string}`>;
  /** What the answer must hold. */
  readonly holds: string;
  readonly bare: readonly (readonly string[])[];
}

/** Lines of the file that is blamed, and as many as Vise shows unless asked for others. */
const BLAMED = 20;
const UNTRACKED = ["ls-files", "--others", "--exclude-standard"];

const WORKS: Readonly<Record<string, Work>> = {
  "status": { ability: "gitStatus", holds: NEW_FILE, bare: [["status", "--porcelain=v2", "--branch"]] },
  "diff": { ability: "gitDiff", holds: NEW_FILE, bare: [["diff"], UNTRACKED] },
  "diff, tracked only": { ability: "gitDiffTracked", holds: CHANGED_FILE, bare: [["diff"]] },
  "diff, staged": { ability: "gitDiffStaged", holds: STAGED_FILE, bare: [["diff", "--cached"]] },
  "log": { ability: "gitLog", holds: "number 7", bare: [["log", "-20"]] },
  "log of a file": { ability: "gitLogOfFile", holds: "number 1", bare: [["log", "-20", "--", TOUCHED_FILE]] },
  "show": { ability: "gitShow", holds: "number 9", bare: [["show"]] },
  "blame": { ability: "gitBlame", holds: "line 0 of 7", bare: [["blame", `-L1,${BLAMED}`, TOUCHED_FILE]] },
};

/** Needs git; the repository is generated once and kept. */
export const gitRoom: Room = {
  name: "git",
  open: async (scene) => {
    if (!await isThere("git")) {
      scene.skip("git", "not installed");
      return openRoom([]);
    }
    const root = await keptCorpus(scene.corpusDir, "repository-50000-5000-staged", makeRepository);
    const needs = Object.values(WORKS).map(({ ability }) => ability);
    const servers = await Servers.start(scene, { place: () => root, needs });
    return openRoom(Object.entries(WORKS).map(([name, work]) => gitWorkload(name, work, { servers, root })), servers);
  },
};

function gitWorkload(
  name: string,
  { ability, holds, bare }: Work,
  { servers, root }: { servers: Servers; root: string },
): Workload {
  return {
    name: `git ${name}`,
    about: `${bare.map((words) => `\`git ${words.join(" ")}\``).join(" and ")} in 50,000 files, 5,000 commits`,
    floor: FLOOR.git,
    contestants: [
      {
        name: FLOOR.git,
        run: async () => {
          for (const words of bare) await runProgram(["git", ...words], { cwd: root });
        },
      },
      ...servers.contestants(
        ability,
        async (ask, { session }) => answered(await ask(session, { path: TOUCHED_FILE, lastLine: BLAMED }), holds),
      ),
    ],
  };
}
