/** A plain MCP client over stdio: one request at a time, timed until the last byte of its answer, before any parsing. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

import { Buffer } from "node:buffer";
/** How the server is started. */
export interface SessionStart {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** One answer, timed. */
export interface Reply {
  readonly elapsedMs: number;
  /** Of the line it came in. */
  readonly bytes: number;
  // deno-lint-ignore no-explicit-any
  readonly result: any;
}

/** Longest wait for one answer; whoever needs more is out of that workload. */
const ANSWER_LIMIT_MS = 60_000;

/** One server and one connection; disposing ends both. */
export class McpSession implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** The directory it serves, which is its working directory too. */
  readonly workspace: string;
  readonly #exited: Promise<void>;
  #nextId = 1;
  #waiting: { idText: string; take: (line: string) => void; fail: (fault: Error) => void } | null = null;
  #parts: string[] = [];
  #stderr = "";

  constructor({ command, cwd, env }: SessionStart) {
    this.workspace = cwd;
    const [program = "", ...args] = command;
    this.child = spawn(program, args, { cwd, env });
    this.child.stderr.on("data", (chunk) => (this.#stderr = (this.#stderr + chunk).slice(-2_000)));
    this.child.stdin.on("error", () => {});
    const decoder = new TextDecoder();
    this.child.stdout.on("data", (chunk: Uint8Array) => this.#receive(decoder.decode(chunk, { stream: true })));
    this.#exited = new Promise((resolve) => {
      const end = (reason: string) => {
        this.#waiting?.fail(new Error(`the server ended (${reason}): ${this.#stderr.trim().split("\n").at(-1)}`));
        resolve();
      };
      this.child.on("error", (fault) => end(fault.message));
      this.child.on("close", (code, signal) => end(String(code ?? signal)));
    });
  }

  /** The handshake; its time is counted from the call. */
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
    const id = this.#nextId++;
    const startedAt = performance.now();
    const line = await new Promise<string>((take, fail) => {
      const guard = setTimeout(
        () => fail(new Error(`no answer to ${method} within ${ANSWER_LIMIT_MS / 1_000} s`)),
        ANSWER_LIMIT_MS,
      );
      const settled = <T>(act: (value: T) => void) => (value: T) => {
        clearTimeout(guard);
        this.#waiting = null;
        act(value);
      };
      this.#waiting = { idText: `"id":${id}`, take: settled(take), fail: settled(fail) };
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
    const elapsedMs = performance.now() - startedAt;
    const { result, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return { elapsedMs, bytes: Buffer.byteLength(line), result };
  }

  /** One tool call. @throws Error when the tool reports a failure */
  async call(name: string, args: Record<string, unknown>): Promise<Reply> {
    const reply = await this.request("tools/call", { name, arguments: args });
    if (reply.result.isError === true) throw new Error(`${name}: ${textOf(reply.result).slice(0, 200)}`);
    return reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    // Some servers go on after the end of their input.
    const guards = [["SIGTERM", 1_000], ["SIGKILL", 4_000]] as const;
    const timers = guards.map(([signal, afterMs]) => setTimeout(() => this.child.kill(signal), afterMs));
    await this.#exited;
    for (const timer of timers) clearTimeout(timer);
  }

  #send(message: unknown): void {
    this.child.stdin.write(JSON.stringify(message) + "\n");
  }

  #receive(text: string): void {
    const lines = text.split("\n");
    for (const line of lines.slice(0, -1)) {
      const whole = this.#parts.join("") + line;
      this.#parts = [];
      // Either at the front or, as some libraries write it, at the very end of the line.
      const mark = this.#waiting?.idText ?? "";
      if (mark !== "" && (whole.slice(0, 60).includes(mark) || whole.slice(-60).includes(mark))) {
        this.#waiting?.take(whole);
      }
    }
    this.#parts.push(lines.at(-1) ?? "");
  }
}

/** All text blocks of a tool result. */
export function textOf(result: { content?: { text?: string }[] }): string {
  return (result.content ?? []).map((block) => block.text ?? "").join("");
}
