/** A plain MCP client over stdio. */

import { Buffer } from "node:buffer";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

/** How the server is started. */
export interface SessionStart {
  readonly command: readonly string[];
  /** The directory it serves, which is its working directory too. */
  readonly workspace: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** One answer that is no protocol error. */
export interface Reply {
  /** Length of the whole answer on the wire. */
  readonly bytes: number;
  // deno-lint-ignore no-explicit-any
  readonly result: any;
}

interface Waiting {
  readonly take: (line: string) => void;
  readonly fail: (fault: Error) => void;
}

/** Longest wait for one answer; whoever needs more is out of that workload. */
const ANSWER_LIMIT_MS = 60_000;
/** Longest answer in UTF-16 units: some servers send all matches of a tree whatever limit they are given. */
const ANSWER_LIMIT = 64 * 1024 ** 2;

/** One server and one connection; disposing ends both. */
export class McpSession implements AsyncDisposable {
  readonly workspace: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #endedBy: string | null = null;
  #nextId = 1;
  /** Of the line that is not whole yet; null when it is too long to be kept. */
  #parts: string[] | null = [];
  #partsLength = 0;
  #stderr = "";

  constructor({ command, workspace, env }: SessionStart) {
    this.workspace = workspace;
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, { cwd: workspace, env });
    this.#child.stderr.on("data", (chunk) => (this.#stderr = (this.#stderr + chunk).slice(-2_000)));
    this.#child.stdin.on("error", () => {});
    const decoder = new TextDecoder();
    this.#child.stdout.on("data", (chunk: Uint8Array) => this.#receive(decoder.decode(chunk, { stream: true })));
    this.#exited = new Promise((resolve) => {
      const end = (reason: string) => {
        const said = this.#stderr.trim().split("\n").at(-1) ?? "";
        this.#endedBy = `the server ended (${reason})${said === "" ? "" : `: ${said}`}`;
        for (const { fail } of this.#waiting.values()) fail(new Error(this.#endedBy));
        resolve();
      };
      this.#child.on("error", (fault) => end(fault.message));
      this.#child.on("close", (code, signal) => end(String(code ?? signal)));
    });
  }

  /** Id of the server's process; 0 when it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The handshake. */
  async initialize(): Promise<Reply> {
    const reply = await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "vise-bench", version: "1.0.0" },
    });
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return reply;
  }

  /** @throws Error when the answer is a protocol error, or none comes */
  async request(method: string, params: unknown = {}): Promise<Reply> {
    const line = await this.#ask(method, params);
    const { result, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return { bytes: Buffer.byteLength(line), result };
  }

  /** One tool call. @throws Error when the tool reports a failure */
  async call(name: string, args: Record<string, unknown>): Promise<Reply> {
    const reply = await this.request("tools/call", { name, arguments: args });
    if (reply.result.isError === true) throw new Error(`${name}: ${textOf(reply.result).slice(0, 200)}`);
    return reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    // Some servers go on after the end of their input.
    const guards = [["SIGTERM", 1_000], ["SIGKILL", 4_000]] as const;
    const timers = guards.map(([signal, afterMs]) => setTimeout(() => this.#child.kill(signal), afterMs));
    await this.#exited;
    for (const timer of timers) clearTimeout(timer);
  }

  async #ask(method: string, params: unknown): Promise<string> {
    if (this.#endedBy !== null) throw new Error(this.#endedBy);
    const id = this.#nextId++;
    let guard: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise<string>((take, fail) => {
        const late = new Error(`no answer to ${method} within ${ANSWER_LIMIT_MS / 1_000} s`);
        guard = setTimeout(() => fail(late), ANSWER_LIMIT_MS);
        this.#waiting.set(id, { take, fail });
        this.#send({ jsonrpc: "2.0", id, method, params });
      });
    } finally {
      clearTimeout(guard);
      this.#waiting.delete(id);
    }
  }

  #send(message: unknown): void {
    this.#child.stdin.write(JSON.stringify(message) + "\n");
  }

  #receive(text: string): void {
    const lines = text.split("\n");
    for (const line of lines.slice(0, -1)) {
      this.#keep(line);
      if (this.#parts === null) this.#refuse();
      else this.#take(this.#parts.join(""));
      this.#parts = [];
      this.#partsLength = 0;
    }
    this.#keep(lines.at(-1) ?? "");
  }

  #keep(part: string): void {
    this.#partsLength += part.length;
    if (this.#partsLength > ANSWER_LIMIT) this.#parts = null;
    else this.#parts?.push(part);
  }

  #take(line: string): void {
    this.#waiting.get(idOf(line))?.take(line);
  }

  /** Whose answer it was is not known any more. */
  #refuse(): void {
    const fault = new Error(`the answer is longer than ${ANSWER_LIMIT / 1024 ** 2} MiB`);
    for (const { fail } of this.#waiting.values()) fail(fault);
  }
}

/** All text blocks of a tool result. */
export function textOf(result: { content?: { text?: string }[] }): string {
  return (result.content ?? []).map((block) => block.text ?? "").join("");
}

/** Id of an answer without reading all of it: either at the front or, as some libraries write it, at the very end. */
function idOf(line: string): number {
  const mark = /"id":(\d+)/;
  return Number((mark.exec(line.slice(0, 60)) ?? /"id":(\d+)\}$/.exec(line.trimEnd().slice(-60)))?.[1]);
}
