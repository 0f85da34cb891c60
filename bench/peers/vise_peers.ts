/** Vise as executable and as `deno run`, each with the empty program that its start is compared with. */

import { join } from "node:path";
import { bundle, compile } from "../../build/compile.ts";
import { REPOSITORY } from "../../tests/support/server_command.ts";
import { messageOf } from "../driver/message_of.ts";
import { FLOOR, type Scene } from "../driver/workload.ts";
import { meetPeer, type Peer, type StartPlace } from "./peer.ts";

/** Name of the peer that users run. */
export const EXECUTABLE = "vise (executable)";
/** Name of the peer that runs from its sources. */
export const FROM_SOURCES = "vise (deno run)";

const FLAGS = ["serve", "--workspace", "{workspace}", "--permission-mode", "trusted"];

/** Says hello so that its start can be timed to the first byte, as that of a server is to its first answer. */
const EMPTY_PROGRAM = `await Deno.stdout.write(new TextEncoder().encode("{}\\n"));\n`;

interface Making {
  /** An executable made earlier. */
  readonly executable: string | undefined;
  readonly skip: Scene["skip"];
}

/** Builds what can be built here; what cannot is skipped with its reason. */
export async function makeVisePeers(place: StartPlace, { executable, skip }: Making): Promise<Peer[]> {
  const empty = join(place.tempDir, "empty.ts");
  await Deno.writeTextFile(empty, EMPTY_PROGRAM);
  const run = [Deno.execPath(), "run", "--quiet", "-A"];
  const attempt = async <Made>(what: string, make: () => Promise<Made>): Promise<Made[]> => {
    try {
      return [await make()];
    } catch (fault) {
      skip(what, messageOf(fault));
      return [];
    }
  };
  const emptyPrograms = await attempt(FLOOR.empty, () => compileEmpty(empty, place.tempDir));
  const compiled = await attempt(EXECUTABLE, async () => {
    const path = await Deno.realPath(executable ?? await build(place.tempDir));
    const [emptyProgram] = emptyPrograms;
    const beside = emptyProgram === undefined ? {} : { emptyCommand: [emptyProgram] };
    return await meetPeer({ name: EXECUTABLE, isVise: true, command: [path, ...FLAGS], ...beside }, place);
  });
  const command = [...run, `${REPOSITORY}main.ts`, ...FLAGS];
  const interpreted = await attempt(
    FROM_SOURCES,
    () => meetPeer({ name: FROM_SOURCES, isVise: true, command, emptyCommand: [...run, empty] }, place),
  );
  return [...compiled, ...interpreted];
}

async function build(tempDir: string): Promise<string> {
  await bundle();
  return await compile({ output: join(tempDir, "vise") });
}

async function compileEmpty(source: string, tempDir: string): Promise<string> {
  const output = join(tempDir, "empty");
  const compiler = Deno.env.get("VISE_COMPILE_DENO") ?? Deno.execPath();
  const args = ["compile", "--quiet", "--no-check", "--no-config", "--no-code-cache", "-A", "--output", output, source];
  const env = { NO_COLOR: "1" };
  const { code, stderr } = await new Deno.Command(compiler, { args, env, stderr: "piped" }).output();
  // The last line names the cause.
  if (code !== 0) {
    throw new Error(`deno compile: ${new TextDecoder().decode(stderr).trim().split("\n").at(-1)?.trim()}`);
  }
  return output;
}
