/**
 * Everything an attack may aim at: files beside the workspace, a process of the same user, services of the host, and a
 * real server with a secret in its environment.
 */

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { TempWorkspace } from "../../support/temp_workspace.ts";
import { ViseProcess } from "../../support/vise_process.ts";
import type { ServerUser } from "./other_user.ts";

const SECRET = "the-secret-outside";
/** Key of a System V segment that another program of the user holds; of this test process, so that runs do not meet. */
const SHARED_MEMORY_KEY = 0x5649_0000 + (process.pid & 0xffff);

/** A server whose commands attack; disposing ends it and everything around it. */
export class AttackScene implements AsyncDisposable {
  readonly workspace: TempWorkspace;
  /** Directory beside the workspace that no command may reach. */
  readonly outside: string;
  readonly vise: ViseProcess;
  /** Bytes that a service of the host received. */
  received = 0;
  readonly #victim: { pid: number; kill: () => void; exited: Promise<void> };
  readonly #services: (Server | Socket)[];
  readonly #ports: { readonly tcp: number; readonly udp: number; readonly abstract: string };
  readonly #before: string;
  readonly #loopback: boolean;
  #victimGone = false;

  static async create(user: ServerUser, flags: readonly string[]): Promise<AttackScene> {
    const workspace = new TempWorkspace();
    chmodSync(workspace.parent, 0o755);
    const outside = join(workspace.parent, "outside");
    furnish(outside);
    own([workspace.parent, workspace.root, outside], user.uid);
    const scene = { received: 0 };
    const services = await openServices(outside, (bytes) => (scene.received += bytes));
    const command = await user.command();
    const bare = {
      PATH: usablePath(user.uid),
      HOME: workspace.parent,
      TMPDIR: "/tmp",
      DENO_DIR: user.uid === Deno.uid() ? denoDir() : join(workspace.parent, "deno"),
      VISE_AUTH_TOKEN: "server-token-0123456789",
      DEPLOY_SECRET: "not-for-commands",
    };
    const vise = new ViseProcess(workspace.root, { flags, bareEnv: bare, command });
    await vise.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "attack", version: "1" },
    });
    return new AttackScene(workspace, { outside, vise, user, services, scene, loopback: flags.includes("loopback") });
  }

  private constructor(workspace: TempWorkspace, parts: {
    outside: string;
    vise: ViseProcess;
    user: ServerUser;
    services: Awaited<ReturnType<typeof openServices>>;
    scene: { received: number };
    loopback: boolean;
  }) {
    this.workspace = workspace;
    this.outside = parts.outside;
    this.vise = parts.vise;
    this.#services = parts.services.all;
    this.#ports = parts.services;
    this.#loopback = parts.loopback;
    const victim = spawn("sleep", ["600"], { uid: parts.user.uid, stdio: "ignore" });
    const exited = new Promise<void>((resolve) => victim.on("exit", () => resolve()));
    exited.then(() => (this.#victimGone = true));
    this.#victim = { pid: victim.pid as number, kill: () => victim.kill("SIGKILL"), exited };
    Object.defineProperty(this, "received", { get: () => parts.scene.received });
    this.#before = this.#snapshot();
  }

  /** Puts an attack program into the workspace. */
  install(name: string, content: string | Uint8Array): void {
    this.workspace.write(name, content, 0o755);
  }

  /** Variables that tell an attack where to aim. */
  get aims(): Record<string, string> {
    return {
      V_OUT: this.outside,
      V_SERVER: String(this.vise.child.pid),
      V_VICTIM: String(this.#victim.pid),
      V_TCP: String(this.#ports.tcp),
      V_UDP: String(this.#ports.udp),
      V_ABSTRACT: this.#ports.abstract,
      V_SHARED: String(SHARED_MEMORY_KEY),
      V_LOOPBACK: this.#loopback ? "1" : "0",
    };
  }

  /** Standard output of a command; its aims in the environment. */
  async run(
    cmd: string,
    more: Record<string, unknown> = {},
  ): Promise<{ stdout: string; value: Record<string, unknown> }> {
    const args = { cmd, env: this.aims, yield_time_ms: 30_000, timeout_ms: 60_000, max_output_bytes: 200_000, ...more };
    const value = await this.vise.value("exec_command", args);
    return { stdout: String(value.stdout), value };
  }

  /** Runs a script of its own, because safe mode lets no inline code and no outside path pass its gates. */
  script(lines: string, more: Record<string, unknown> = {}): ReturnType<AttackScene["run"]> {
    this.install("script.sh", lines + "\n");
    return this.run("sh ./script.sh", more);
  }

  /** Facts that must hold whatever an attack printed; empty when they do. */
  async damage(): Promise<string[]> {
    const damage: string[] = [];
    if (this.#snapshot() !== this.#before) {
      damage.push(`the outside changed:\n${this.#before}\n---\n${this.#snapshot()}`);
    }
    if (this.received > 0) damage.push(`a service of the host received ${this.received} bytes or connections`);
    if (this.#victimGone) damage.push("the other process of the user is gone");
    const answer = await this.vise.request("ping").catch((fault) => ({ error: { message: String(fault) } }));
    if (answer.error !== undefined) damage.push(`the server does not answer: ${answer.error.message}`);
    return damage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.vise[Symbol.asyncDispose]();
    this.#victim.kill();
    await this.#victim.exited;
    for (const service of this.#services) service.close();
    this.workspace[Symbol.dispose]();
  }

  /** Names, modes, owners, times and contents outside the workspace. */
  #snapshot(): string {
    return readdirSync(this.outside).sort().map((name) => {
      const path = join(this.outside, name);
      const facts = lstatSync(path);
      const content = facts.isFile() ? readFileSync(path, "utf8").slice(0, 100) : "";
      return [name, facts.mode.toString(8), facts.uid, facts.gid, facts.nlink, facts.mtimeMs, content].join(" ");
    }).join("\n");
  }
}

/** Whether `text` holds a secret of the scene. */
export function showsSecret(text: string): boolean {
  return text.includes(SECRET) || text.includes("server-token-0123456789") || text.includes("not-for-commands");
}

function furnish(outside: string): void {
  mkdirSync(join(outside, "dir"), { recursive: true });
  writeFileSync(join(outside, "secret.txt"), SECRET);
  writeFileSync(join(outside, "target.txt"), "untouched");
  writeFileSync(join(outside, "prog"), "#!/bin/sh\necho executed\n", { mode: 0o755 });
}

/** Directories and what is in them now belong to `uid`: the attacks fail because of the sandbox, not because of modes. */
function own(paths: readonly string[], uid: number): void {
  if (uid === process.getuid?.()) return;
  for (const path of paths) {
    chownSync(path, uid, uid);
    for (const name of readdirSync(path)) chownSync(join(path, name), uid, uid);
  }
}

async function openServices(outside: string, count: (bytes: number) => void): Promise<{
  all: (Server | Socket)[];
  tcp: number;
  udp: number;
  abstract: string;
}> {
  const listen = (address: { port: number; host: string } | { path: string }): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((connection) => {
        count(1);
        connection.on("error", () => {});
        connection.destroy();
      });
      server.on("error", reject);
      server.listen(address, () => resolve(server));
    });
  const tcp = await listen({ port: 0, host: "127.0.0.1" });
  const path = await listen({ path: join(outside, "sock") });
  chmodSync(join(outside, "sock"), 0o777);
  const datagrams = createSocket("udp4", (message) => count(message.length));
  await new Promise<void>((resolve) => datagrams.bind(0, "127.0.0.1", resolve));
  const port = (tcp.address() as { port: number }).port;
  const abstract = `vise-attack-${process.pid}-${port}`;
  const helper = abstractListener(abstract, join(outside, "dgram"));
  return { all: [tcp, path, datagrams, helper], tcp: port, udp: datagrams.address().port, abstract };
}

/** What the runtime cannot open: Perl listens on an abstract and a datagram socket and holds shared memory. */
function abstractListener(name: string, datagramPath: string): Server {
  const script =
    `use Socket; socket(S,PF_UNIX,SOCK_STREAM,0); bind(S,pack_sockaddr_un("\\0$ARGV[0]")) or die $!; listen(S,9);
    socket(D,PF_UNIX,SOCK_DGRAM,0); bind(D,pack_sockaddr_un($ARGV[1])) or die $!; chmod 0777,$ARGV[1];
    my $id = shmget($ARGV[2], 64, 01666); $SIG{TERM} = sub { shmctl($id, 0, 0); exit }; sleep 600;`;
  const args = ["-e", `$|=1; ${script}`, name, datagramPath, String(SHARED_MEMORY_KEY)];
  const child = spawn("perl", args, { stdio: ["ignore", "ignore", "inherit"] });
  const closed = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  waitForFile(datagramPath);
  return { close: () => (child.kill("SIGTERM"), void closed) } as unknown as Server;
}

function waitForFile(path: string): void {
  execFileSync("sh", [
    "-c",
    'i=0; while [ ! -S "$0" ] && [ $i -lt 500 ]; do sleep 0.01; i=$((i+1)); done; [ -S "$0" ]',
    path,
  ]);
}

/** PATH without directories that an ordinary user cannot enter, such as toolchains in root's home. */
function usablePath(uid: number): string {
  const entries = (Deno.env.get("PATH") ?? "/usr/bin:/bin").split(":");
  return entries.filter((entry) => uid === Deno.uid() || !entry.startsWith("/root")).join(":");
}

function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`;
}
