/** Starts the server as an ordinary user where the tests run as root. */

import { existsSync } from "node:fs";
import { REPOSITORY, serverCommand } from "../../support/server_command.ts";

/** nobody, on every distribution that the tests know. */
const UID = 65534;
/** Made once for each test file. */
let readable: Promise<Readable> | undefined;

/** Who the server runs as. */
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
  const { program, script } = await (readable ??= makeReadable());
  return script === null ? [...drop, program] : [...drop, program, "run", "--quiet", "-A", "--no-config", script];
}

interface Readable {
  readonly program: string;
  /** The server as one file without imports; null where `program` is the server. */
  readonly script: string | null;
}

/** Nobody can read neither root's package cache nor, perhaps, the repository and the program in it. */
async function makeReadable(): Promise<Readable> {
  const directory = await Deno.makeTempDir({ prefix: "vise-bundle-" });
  await Deno.chmod(directory, 0o755);
  globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
  const executable = Deno.env.get("VISE_TEST_EXECUTABLE") ?? "";
  const program = await copyUnlessReadable(executable === "" ? Deno.execPath() : executable, directory);
  return { program, script: executable === "" ? await makeBundle(directory) : null };
}

async function copyUnlessReadable(program: string, directory: string): Promise<string> {
  const args = [`--reuid=${UID}`, `--regid=${UID}`, "--clear-groups", program, "--version"];
  const probe = new Deno.Command("setpriv", {
    args,
    env: { DENO_DIR: `${directory}/none` },
    stdout: "null",
    stderr: "null",
  });
  if ((await probe.output()).success) return program;
  const copy = `${directory}/program`;
  await Deno.copyFile(program, copy);
  await Deno.chmod(copy, 0o755);
  return copy;
}

async function makeBundle(directory: string): Promise<string> {
  const path = `${directory}/vise.js`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "deno", "--output", path, "main.ts"],
    cwd: REPOSITORY,
  }).output();
  if (!success || !existsSync(path)) throw new Error(`Cannot bundle the server: ${new TextDecoder().decode(stderr)}`);
  return path;
}
