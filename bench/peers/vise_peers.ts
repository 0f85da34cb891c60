/** Vise as executable and as `deno run`, each with the empty program that its start is compared with. */

import { join } from "node:path";
import { bundle, compile } from "../../build/compile.ts";
import { REPOSITORY } from "../../tests/support/server_command.ts";
import type { Peer, StartPlace } from "./peer.ts";
import { meetPeer } from "./peer.ts";

/** What there is of Vise on this machine. */
export interface VisePeers {
  readonly peers: Peer[];
  /** Path of the executable, or why there is none. */
  readonly executable: { readonly path: string } | { readonly reason: string };
}

const FLAGS = ["serve", "--workspace", "{workspace}", "--permission-mode", "trusted"];

/** Says hello so that its start can be timed to the first byte, as that of a server is to its first answer. */
const EMPTY_PROGRAM = `await Deno.stdout.write(new TextEncoder().encode("{}\\n"));\n`;

/** Builds what can be built here. `given` is an executable made earlier. */
export async function makeVisePeers(place: StartPlace, given: string | undefined): Promise<VisePeers> {
  const empty = join(place.tempDir, "empty.ts");
  await Deno.writeTextFile(empty, EMPTY_PROGRAM);
  const run = [Deno.execPath(), "run", "--quiet", "-A"];
  const peers: Peer[] = [];
  let executable: VisePeers["executable"];
  try {
    const path = await Deno.realPath(given ?? await build(place.tempDir));
    const emptyCommand = [await compileEmpty(empty, place.tempDir)];
    peers.push(
      await meetPeer({ name: "vise (executable)", isVise: true, command: [path, ...FLAGS], emptyCommand }, place),
    );
    executable = { path };
  } catch (fault) {
    executable = { reason: fault instanceof Error ? fault.message.split("\n").slice(0, 2).join(" ") : String(fault) };
  }
  const command = [...run, `${REPOSITORY}main.ts`, ...FLAGS];
  peers.push(
    await meetPeer({ name: "vise (deno run)", isVise: true, command, emptyCommand: [...run, empty] }, place),
  );
  return { peers, executable };
}

async function build(tempDir: string): Promise<string> {
  await bundle();
  return await compile({ output: join(tempDir, "vise") });
}

async function compileEmpty(source: string, tempDir: string): Promise<string> {
  const output = join(tempDir, "empty");
  const compiler = Deno.env.get("VISE_COMPILE_DENO") ?? Deno.execPath();
  const args = ["compile", "--quiet", "--no-check", "--no-config", "--no-code-cache", "-A", "--output", output, source];
  const { code, stderr } = await new Deno.Command(compiler, { args, stderr: "piped" }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return output;
}
