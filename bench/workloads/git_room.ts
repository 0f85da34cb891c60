/** The git tools against the bare commands that they wrap. */

import { keptCorpus } from "../corpus/kept.ts";
import { makeRepository, TOUCHED_FILE } from "../corpus/make_repository.ts";
import { isThere, runProgram } from "../driver/command.ts";
import { Servers } from "../driver/servers.ts";
import { FLOOR, type Room, type Workload } from "../driver/workload.ts";

interface Row {
  readonly name: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly bare: readonly (readonly string[])[];
}

const UNTRACKED = ["ls-files", "--others", "--exclude-standard"];

const ROWS: readonly Row[] = [
  { name: "status", tool: "git_status", args: {}, bare: [["status", "--porcelain=v2", "--branch"]] },
  { name: "diff", tool: "git_diff", args: {}, bare: [["diff"], UNTRACKED] },
  { name: "diff, tracked only", tool: "git_diff", args: { include_untracked: false }, bare: [["diff"]] },
  { name: "diff, staged", tool: "git_diff", args: { staged: true, unstaged: false }, bare: [["diff", "--cached"]] },
  { name: "log", tool: "git_log", args: {}, bare: [["log", "-20"]] },
  { name: "log of a file", tool: "git_log", args: { path: TOUCHED_FILE }, bare: [["log", "-20", "--", TOUCHED_FILE]] },
  { name: "show", tool: "git_show", args: {}, bare: [["show"]] },
  {
    name: "blame",
    tool: "git_blame",
    args: { path: TOUCHED_FILE },
    bare: [["blame", "-L1,200", TOUCHED_FILE]],
  },
];

/** Needs git; the repository is generated once and kept. */
export const gitRoom: Room = {
  name: "git",
  open: async (scene) => {
    if (!await isThere("git")) {
      scene.skip("git", "not installed");
      return { workloads: [], [Symbol.asyncDispose]: () => Promise.resolve() };
    }
    const root = await keptCorpus(scene.corpusDir, "repository-50000-5000", makeRepository);
    const servers = await Servers.start(scene, { place: () => root, needs: ["git"] });
    const workloads = ROWS.map(({ name, tool, args, bare }): Workload => ({
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
        ...servers.contestants("git", (git, { session }) => git(session, { tool, args })),
      ],
    }));
    return { workloads, [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose]() };
  },
};
