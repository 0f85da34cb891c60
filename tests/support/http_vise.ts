/** The real server over HTTP on a free port. */

import { serverCommand } from "./server_command.ts";

/** What differs from a server without flags. */
export interface HttpViseOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** One HTTP answer, its body parsed when it is JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** Disposing ends the process and removes its directories. */
export class HttpVise implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  /** Address without a path, such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Standard error so far, line by line. */
  readonly log: readonly string[];
  /** Exit code and, for a death by signal, its name. */
  readonly exited: Promise<Deno.CommandStatus>;

  private constructor(child: Deno.ChildProcess, origin: string, log: string[]) {
    this.#child = child;
    this.origin = origin;
    this.log = log;
    this.exited = child.status;
  }

  static async start(workspace: string, { flags = [], env = {} }: HttpViseOptions = {}): Promise<HttpVise> {
    const [program, ...args] = serverCommand();
    const listens = flags.includes("--host") ? ["--port", "0"] : ["--http", "127.0.0.1:0"];
    const child = new Deno.Command(program, {
      args: [...args, ...listens, "--workspace", workspace, ...flags],
      env,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const log: string[] = [];
    const origin = await new Promise<string>((resolve, reject) => {
      readLines(child.stderr, (line) => {
        log.push(line);
        const url = /listening on (https?:\/\/\S+)\/mcp/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      }).then(() => reject(new Error(`the server ended: ${log.join("\n")}`)));
    });
    return new HttpVise(child, origin, log);
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** POST /mcp with JSON headers; a text body is sent as it is. */
  async post(message: unknown, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return await this.fetch("/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
  }

  /** Any request; a JSON body is parsed, another is given as text. */
  async fetch(path: string, init: RequestInit = {}): Promise<HttpAnswer> {
    const response = await fetch(this.origin + path, { redirect: "manual", ...init });
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It has ended already.
    }
    const guard = setTimeout(() => this.#child.kill("SIGKILL"), 15_000);
    await this.exited;
    clearTimeout(guard);
  }
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) take(line);
  }
}

/** `_meta` and mirror headers of a well-formed stateless request. */
export function stateless(
  method: string,
  params: Record<string, unknown> = {},
): { params: Record<string, unknown>; headers: Record<string, string> } {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = typeof params["name"] === "string" ? { "Mcp-Name": params["name"] } : {};
  return {
    params: { _meta, ...params },
    headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...name },
  };
}
