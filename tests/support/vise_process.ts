/** The real server over stdio, driven by raw JSON-RPC lines. Every result is checked against the advertised output schema. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { serverCommand } from "./server_command.ts";
import { checkResult } from "./result_schema.ts";

/** The result of `tools/call`. */
export interface ToolResultMessage {
  readonly content: { type: string; text?: string; data?: string; mimeType?: string }[];
  // deno-lint-ignore no-explicit-any
  readonly structuredContent: any;
  readonly isError: boolean;
}

/** One line of the server, parsed. */
export interface Answer {
  readonly id: number | string | null;
  // deno-lint-ignore no-explicit-any
  readonly result?: any;
  readonly error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** What differs from a server with `serve --workspace` alone. */
export interface ViseOptions {
  readonly flags?: readonly string[];
  /** Added to PATH, HOME and TMPDIR of the test run. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the whole environment. */
  readonly bareEnv?: Readonly<Record<string, string>>;
  readonly home?: string;
  /** Program and leading arguments instead of `serverCommand()`. */
  readonly command?: readonly [string, ...string[]];
}

/** Longest wait for one answer: a hang guard, not a measurement. */
const ANSWER_LIMIT_MS = 60_000;

/** Disposing ends the process; a test fails when a result breaks its schema. */
export class ViseProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line of standard output, as received. */
  readonly lines: string[] = [];
  /** Standard error so far. */
  stderr = "";
  /** Resolves with exit code and signal once the process is gone. */
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  readonly #listeners = new Set<(line: string) => void>();
  #nextId = 1;

  constructor(workspace: string, options: ViseOptions = {}) {
    const [program, ...args] = options.command ?? serverCommand();
    const env = options.bareEnv ?? {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: options.home ?? `${workspace}/../`,
      ...keep("TMPDIR"),
      ...keep("DENO_DIR"),
      ...(options.env ?? {}),
    };
    this.child = spawn(program, [...args, "serve", "--workspace", workspace, ...(options.flags ?? [])], {
      env: program === Deno.execPath() ? { ...env, DENO_DIR: denoDir() } : env,
      cwd: workspace,
    });
    this.child.stderr.on("data", (chunk) => (this.stderr += chunk));
    this.child.stdin.on("error", () => {});
    eachLine(this.child.stdout, (line) => this.#receive(line));
    this.exited = new Promise((resolve) => this.child.on("close", (code, signal) => resolve({ code, signal })));
  }

  /** Sends bytes as they are. */
  sendRaw(bytes: string | Uint8Array): void {
    this.child.stdin.write(bytes);
  }

  /** Sends a request and resolves with its answer, whatever it is. */
  request(method: string, params?: unknown, id: number | string = `t${this.#nextId++}`): Promise<Answer> {
    const answered = this.answerTo(JSON.stringify(id));
    this.sendRaw(JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }) + "\n");
    return answered;
  }

  /** The next answer whose id has this JSON text. */
  answerTo(idText: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const guard = setTimeout(
        () => reject(new Error(`no answer to ${idText} within ${ANSWER_LIMIT_MS} ms; stderr: ${this.stderr}`)),
        ANSWER_LIMIT_MS,
      );
      const settle = (answer: Answer) => {
        clearTimeout(guard);
        resolve(answer);
      };
      this.#waiting.set(idText, settle);
      this.exited.then(({ code, signal }) => {
        clearTimeout(guard);
        if (this.#waiting.get(idText) === settle) {
          reject(new Error(`server ended (${code ?? signal}); stderr: ${this.stderr}`));
        }
      });
    });
  }

  /** Calls a tool; the result may be an error result. */
  async call(tool: string, args: Record<string, unknown> = {}): Promise<ToolResultMessage> {
    const answer = await this.request("tools/call", { name: tool, arguments: args });
    if (answer.error !== undefined) throw new Error(`${tool}: protocol error ${JSON.stringify(answer.error)}`);
    checkResult(tool, answer.result);
    return answer.result;
  }

  /** Structured value of a call that must succeed. */
  // deno-lint-ignore no-explicit-any
  async value(tool: string, args: Record<string, unknown> = {}): Promise<any> {
    const result = await this.call(tool, args);
    if (result.isError) throw new Error(`${tool} failed: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent;
  }

  /** Error object of a call that must fail. */
  async failure(
    tool: string,
    args: Record<string, unknown> = {},
    // deno-lint-ignore no-explicit-any
  ): Promise<{ code: string; message: string; category: string; retryable: boolean; details: any }> {
    const result = await this.call(tool, args);
    if (!result.isError) throw new Error(`${tool} succeeded: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent.error;
  }

  /** Text block of a result. */
  static text(result: ToolResultMessage): string {
    return result.content.find((block) => block.type === "text")?.text ?? "";
  }

  /** Calls `listener` with each further line of standard output. */
  onLine(listener: (line: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Closes standard input and waits for the end. */
  async close(): Promise<{ code: number | null; signal: string | null }> {
    this.child.stdin.end();
    return await this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    const guard = setTimeout(() => this.child.kill("SIGKILL"), 15_000);
    await this.exited;
    clearTimeout(guard);
  }

  #receive(line: string): void {
    this.lines.push(line);
    for (const listener of this.#listeners) listener(line);
    const idText = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+|null),/.exec(line)?.[1];
    if (idText === undefined) return;
    const settle = this.#waiting.get(idText);
    if (settle === undefined) return;
    this.#waiting.delete(idText);
    settle(JSON.parse(line));
  }
}

function keep(name: string): Record<string, string> {
  const value = Deno.env.get(name);
  return value === undefined ? {} : { [name]: value };
}

/** Deno's cache must be found although HOME points into the test's own directory. */
function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`;
}

/** Splits at LF and nothing else; node:readline would also split at U+2028, which JSON text may hold. */
function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  stream.on("data", (chunk: Uint8Array) => {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    for (const line of lines.slice(0, -1)) {
      take(parts.join("") + line);
      parts = [];
    }
    parts.push(lines.at(-1) as string);
  });
}
