/** Vise over HTTP on a free port, on the small repository of the demo. */

import { mkdirSync } from "node:fs";
import { makeBrokenProject } from "../../demo/broken_project.ts";
import type { Peer } from "../peers/peer.ts";

/** Longest wait for its first line. */
const START_LIMIT_MS = 20_000;

/** Ends the server when it is disposed. */
export class HttpServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #url: string;

  private constructor(child: Deno.ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /** @throws Error when it does not listen within 20 s */
  static async start({ command }: Pick<Peer, "command">, workspace: string): Promise<HttpServer> {
    mkdirSync(workspace, { recursive: true });
    makeBrokenProject(workspace);
    const [program = "", ...args] = command.map((word) => word.replaceAll("{workspace}", workspace));
    const child = new Deno.Command(program, {
      args: [...args, "--http", "127.0.0.1:0"],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const guard = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
    const url = await new Promise<string | undefined>((resolve) => void findUrl(child.stderr, resolve));
    clearTimeout(guard);
    if (url === undefined) {
      throw new Error(`the server did not say where it listens within ${START_LIMIT_MS / 1_000} s`);
    }
    return new HttpServer(child, url);
  }

  /** One tool call. @throws Error when it does not succeed */
  async call(params: { readonly name: string; readonly arguments: object }, id: number): Promise<void> {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Accept": "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
    });
    const { result } = await response.json();
    if (result === undefined || result.isError === true) throw new Error(`${params.name} failed (${response.status})`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }
}

/** Reads to the end, so that the server never waits for us. */
async function findUrl(stream: ReadableStream<Uint8Array>, found: (url: string | undefined) => void): Promise<void> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    text = (text + part).slice(-10_000);
    const url = /listening on (https?:\/\/\S+\/mcp)/.exec(text)?.[1];
    if (url !== undefined) found(url);
  }
  found(undefined);
}
