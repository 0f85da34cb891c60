/** Starts the server as an ordinary user where the tests run as root. */

import { existsSync } from "node:fs";
import { REPOSITORY, serverCommand } from "../../support/server_command.ts";

/** nobody, on every distribution that the tests know. */
const UID = 65534;
/** A name in the shared temporary directory, so that every test file of one run shares the bundle. */
let bundle: Promise<string> | undefined;

export interface ServerUser {
  readonly name: "root" | "an ordinary user";
  readonly uid: number;
  /** Program and leading arguments of the server. */
  command(): Promise<readonly [string, ...string[]]>;
}

/** Users under which the tests can run the server here: always the current one, and `nobody` for root. */
export function serverUsers(): ServerUser[] {
  const uid = Deno.uid() ?? 0;
  const current: ServerUser = {
    name: uid === 0 ? "root" : "an ordinary user",
    uid,
    command: () => Promise.resolve(serverCommand()),
  };
  if (uid !== 0) return [current];
  const { success } = new Deno.Command("sh", { args: ["-c", "command -v setpriv"], stdout: "null" }).outputSync();
  if (!success) {
    console.warn("not tried as an ordinary user: setpriv (util-linux) is not installed");
    return [current];
  }
  return [current, { name: "an ordinary user", uid: UID, command: commandOfNobody }];
}

async function commandOfNobody(): Promise<readonly [string, ...string[]]> {
  const drop = ["setpriv", `--reuid=${UID}`, `--regid=${UID}`, "--clear-groups"] as const;
  const executable = Deno.env.get("VISE_TEST_EXECUTABLE");
  if (executable !== undefined && executable !== "") return [...drop, executable];
  return [...drop, Deno.execPath(), "run", "--quiet", "-A", "--no-config", await (bundle ??= makeBundle())];
}

/** One file without imports: nobody can read neither root's package cache nor, perhaps, the repository. */
async function makeBundle(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "vise-bundle-" });
  await Deno.chmod(directory, 0o755);
  const path = `${directory}/vise.js`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "deno", "--output", path, "main.ts"],
    cwd: REPOSITORY,
  }).output();
  if (!success || !existsSync(path)) throw new Error(`Cannot bundle the server: ${new TextDecoder().decode(stderr)}`);
  globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
  return path;
}
