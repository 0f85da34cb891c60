/** Compares answers of the engine with what the installed git prints. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { pathToText } from "../../src/base/path_text.ts";
import type { FileChange } from "../../src/engine/git/patch_reader.ts";
import type { GitCalls } from "./open_engine.ts";

/** The installed git with nothing but what the comparison needs said explicitly. */
export class PlainGit {
  readonly #root: string;
  readonly #home: string;

  constructor(root: string, home: string) {
    this.#root = root;
    this.#home = home;
  }

  bytes(...args: string[]): Uint8Array {
    const env = {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: this.#home,
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_OPTIONAL_LOCKS: "0",
    };
    try {
      return execFileSync("git", args, { cwd: this.#root, env, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 26 });
    } catch (fault) {
      // `--no-index` exits with 1 when there is a difference.
      const { status, stdout } = fault as { status: number; stdout: Uint8Array };
      if (status === 1) return stdout;
      throw fault;
    }
  }

  text(...args: string[]): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.bytes(...args));
  }

  fields(...args: string[]): string[] {
    const bytes = this.bytes(...args);
    const fields: string[] = [];
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(0, at);
      fields.push(pathToText(bytes.subarray(at, end)));
      at = end + 1;
    }
    return fields;
  }
}

/** Entries, branch and submodules against git's own. */
export async function compareStatus(git: GitCalls, peer: PlainGit): Promise<{ inProgress: string; unborn: boolean }> {
  const status = await git.status();
  if (status === null) throw new Error("not recognised as a repository");
  const fields = peer.fields("status", "--porcelain=v1", "-z");
  const expected: string[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as string;
    expected.push(/^[RC]/.test(field) ? `${field} < ${fields[++at]}` : field);
  }
  const got = status.entries.map((entry) =>
    `${entry.indexStatus}${entry.worktreeStatus} ${entry.path}${
      entry.originalPath === undefined ? "" : ` < ${entry.originalPath}`
    }`
  );
  deepStrictEqual(got.toSorted(), expected.toSorted());
  const header = peer.text("status", "--porcelain=v2", "--branch").split("\n").filter((line) =>
    line.startsWith("# branch.")
  );
  const branch = [
    `# branch.oid ${status.unborn ? "(initial)" : status.head}`,
    `# branch.head ${status.detached ? "(detached)" : status.branch}`,
    ...(status.upstream === "" ? [] : [`# branch.upstream ${status.upstream}`]),
    ...(header.some((line) => line.startsWith("# branch.ab"))
      ? [`# branch.ab +${status.ahead} -${status.behind}`]
      : []),
  ];
  deepStrictEqual(branch, header);
  const submodules = new Map(
    peer.text("status", "--porcelain=v2").split("\n").filter((line) => / S[C.][M.][U.] /.test(line)).map((line) => [
      line.split(" ").at(-1) as string,
      line.split(" ")[2] as string,
    ]),
  );
  for (const { path, submodule } of status.entries) {
    const letters = submodule === undefined
      ? undefined
      : `S${submodule.commitChanged ? "C" : "."}${submodule.modified ? "M" : "."}${submodule.untracked ? "U" : "."}`;
    strictEqual(letters, submodules.get(path), path);
  }
  return status;
}

/** Text, counts and untracked files against git's own. */
export async function compareDiff(git: GitCalls, peer: PlainGit): Promise<void> {
  const form = ["-c", "core.quotePath=false", "diff", "--ignore-submodules=dirty"];
  const unmergedFirst = (text: string) => text.split(/^(?=diff --|\* Unmerged)/m).toSorted().join("");
  const unstaged = await git.diff({ includeUntracked: false });
  strictEqual(unmergedFirst(unstaged?.diff ?? ""), unmergedFirst(peer.text(...form)));
  const staged = await git.diff({ staged: true, unstaged: false });
  strictEqual(unmergedFirst(staged?.diff ?? ""), unmergedFirst(peer.text(...form, "--cached")));
  for (const [mine, args] of [[unstaged, []], [staged, ["--cached"]]] as const) {
    const rows = peer.fields(...form, "--numstat", "-z", ...args).join("\0");
    const counts = [...rows.matchAll(/(\d+|-)\t(\d+|-)\t(?:\0[^\0]*\0)?([^\0]+)/g)]
      .filter((row) => isCounted(mine?.files.find((file) => file.path === row[3])))
      .map((row) => `${row[3]} ${row[1]} ${row[2]}`);
    const files = mine?.files.filter((file) => isCounted(file)).map((file) =>
      file.binary ? `${file.path} - -` : `${file.path} ${file.additions} ${file.removals}`
    );
    deepStrictEqual(files?.toSorted(), [...new Set(counts)].toSorted());
  }
  const untracked = await git.diff({ maxBytes: 1 << 20 });
  const names = peer.fields("ls-files", "-z", "--others", "--exclude-standard");
  const added = untracked?.files.slice(unstaged?.files.length).map((file) => file.path);
  deepStrictEqual(added, names);
  const readable = names.filter((name) => !name.endsWith("/") && !/\\x[89a-f]/.test(name));
  // Untracked files are shown as they are on disk; git converts their line ends under this setting.
  if (readable.length !== names.length || peer.text("config", "--default", "", "core.autocrlf").trim() === "true") {
    return;
  }
  const shown = readable.map((name) =>
    peer.text("-c", "core.quotePath=false", "diff", "--no-index", "/dev/null", `./${name}`)
  );
  const plain = shown.join("").replaceAll(/ "?([ab])\/\.\//g, (whole) => whole.replace("./", ""));
  ok((untracked?.diff ?? "").endsWith(plain), `${untracked?.diff}\n--- git\n${plain}`);
}

/** Every field of every commit against git's own. */
export async function compareLog(git: GitCalls, peer: PlainGit): Promise<void> {
  const log = await git.log({ maxCount: 100 });
  if (log?.unborn === true) return;
  const format = "--format=%H%x00%h%x00%P%x00%an%x00%ae%x00%aI%x00%s";
  const expected = peer.text("log", "-z", "--encoding=UTF-8", format).split("\0");
  const got = log?.commits.flatMap((commit) => [
    commit.hash,
    commit.shortHash,
    commit.parents.join(" "),
    commit.authorName,
    commit.authorEmail,
    commit.authorDate,
    commit.subject,
  ]);
  deepStrictEqual([...got ?? [], ""], expected);
}

/** Header, patch and names against git's own. */
export async function compareShow(git: GitCalls, peer: PlainGit, revision: string): Promise<void> {
  const form = [
    "-c",
    "core.quotePath=false",
    "show",
    "--encoding=UTF-8",
    "--notes",
    "--format=fuller",
    "--date=iso-strict",
    "--diff-merges=first-parent",
  ];
  const parents = (text: string) => text.replace(/^Merge: .*$/m, "Merge:");
  const abbreviated = (text: string) =>
    text.replace(
      /^(index )([0-9a-f]+)\.\.([0-9a-f]+)/gm,
      (_, word, a, b) => `${word}${a.slice(0, 7)}..${b.slice(0, 7)}`,
    );
  const show = await git.show({ revision });
  strictEqual(parents(show?.content ?? ""), parents(abbreviated(peer.text(...form, revision))), revision);
  const names = peer.fields(...form, "--format=", "--name-only", "-z", revision);
  deepStrictEqual(show?.files.map((file) => file.path), names);
}

/** The commit of every line against git's own. */
export async function compareBlame(git: GitCalls, peer: PlainGit): Promise<void> {
  const names = peer.fields("ls-files", "-z").filter((name) => /\.txt$/.test(name) && !/\\x/.test(name));
  for (const name of names.slice(0, 3)) {
    const mine = await git.blame(name).catch((fault) => `failed: ${fault.code}`);
    let expected: string;
    try {
      expected = peer.text("blame", "-l", "-s", "--root", "--", name);
    } catch {
      strictEqual(typeof mine, "string", `${name} cannot be blamed`);
      continue;
    }
    if (typeof mine === "string" || mine === null) throw new Error(`${name}: ${mine}`);
    const commits = expected.split("\n").filter((line) => line !== "").map((line) =>
      line.slice(0, line.indexOf(" ")).replace("^", "")
    );
    deepStrictEqual(mine.lines.map((line) => line.commit.slice(0, commits[0]?.length)), commits, name);
  }
}

/** git counts an unmerged file by one side, and calls a binary file binary where only its name or mode differs. */
function isCounted(file: FileChange | undefined): boolean {
  if (file === undefined) return true;
  return file.status !== "unmerged" && (file.binary || file.additions !== 0 || file.removals !== 0);
}
