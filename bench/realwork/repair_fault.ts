/** A scripted client (the official SDK over stdio, no model) that finds a fault through Vise, repairs it and checks its work. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Buffer } from "node:buffer";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { serverCommand } from "../../tests/support/server_command.ts";
import { textOf } from "../peers/mcp_session.ts";
import { type Fault, wordToSearch } from "./seed_fault.ts";
import { ORIGINAL } from "./unpack_package.ts";

/** What one repair took. */
export interface Cost {
  calls: number;
  /** Arguments and whole results (text and structured value) as JSON, UTF-8. */
  bytes: number;
  /** o200k tokens of arguments and of the text of results: what a client shows a model. */
  tokens: number;
  /** From the start of the server to the last answer, runs of the tests included. */
  elapsedMs: number;
  /** The part of it spent in the two runs of the package's tests. */
  testsMs: number;
}

/** What a run of tests may print into one result. */
const OUTPUT_BYTES = 8_192;

/** Knows the line as it was and what runs the tests, not where the fault is. @throws Error naming the step that did not do what it should */
export async function repairFault(
  { original }: Pick<Fault, "original">,
  { root, test }: { root: string; test: string },
): Promise<Cost> {
  await using session = new CountedSession();
  await session.start(root);
  const before = await session.command(test);
  check(before.exit_code !== 0, "the tests should fail before the repair", before);
  const place = await find(session, original);
  const patch = await patchFor(session, { place, original });
  const patched = await session.call("apply_patch", { patch });
  check(patched.additions === 1 && patched.removals === 1, "apply_patch should change one line", patched);
  const after = await session.command(test);
  check(after.exit_code === 0, "the tests should pass after the repair", after);

  const { diff, total_files } = await session.call("git_diff", { context_lines: 0 });
  const changed = (diff as string).split("\n").filter((line) => /^[-+](?![-+]{2} )/.test(line));
  check(total_files === 1 && changed.length === 2, "git_diff should show one line", diff);
  check(changed[1] === `+${original}`, "git_diff should show the line as it was", diff);
  const committed = await session.command(
    `git commit --quiet --all --message Repair && git diff --exit-code ${ORIGINAL} HEAD`,
  );
  check(committed.exit_code === 0 && committed.stdout === "", "the tree should be the published one", committed);
  const status = await session.call("git_status", {});
  check(status.clean === true, "git_status should be clean", status);
  return session.cost();
}

interface Place {
  readonly path: string;
  readonly line: number;
}

/** Searches a name of the line, and takes the match that is most like it without being it. */
async function find(session: CountedSession, original: string): Promise<Place> {
  const { matches } = await session.call("search_text", {
    query: wordToSearch(original),
    case_sensitive: true,
    include_globs: ["**/*.js"],
    exclude_globs: ["test/**", "benchmark/**", "benchmarks/**", "bench/**"],
    max_results: 500,
  });
  const rated = (matches as (Place & { preview: string })[])
    .filter(({ preview }) => preview.trim() !== original.trim())
    .map(({ path, line, preview }) => ({ path, line, likeness: likeness(preview.trim(), original.trim()) }))
    .sort((a, b) => b.likeness - a.likeness);
  check(rated.length > 0, "search_text should find the place", matches);
  return rated[0] as Place;
}

/** The changed line between the lines around it, as the file has them. */
async function patchFor(
  session: CountedSession,
  { place, original }: { place: Place; original: string },
): Promise<string> {
  const first = Math.max(1, place.line - 10);
  const { content } = await session.call("read_file", { path: place.path, start_line: first, max_lines: 21 });
  const lines = (content as string).replace(/\n$/, "").split("\n");
  const at = place.line - first;
  const keep = (from: number, to: number) => lines.slice(Math.max(0, from), to).map((line) => ` ${line}`);
  const hunk = [...keep(at - 3, at), `-${lines[at]}`, `+${original}`, ...keep(at + 1, at + 4)];
  return ["*** Begin Patch", `*** Update File: ${place.path}`, "@@", ...hunk, "*** End Patch", ""].join("\n");
}

/** Share of both lines that is the same at their two ends, 0–1. */
function likeness(a: string, b: string): number {
  const least = Math.min(a.length, b.length);
  let front = 0;
  while (front < least && a[front] === b[front]) front++;
  let back = 0;
  while (back < least - front && a.at(-1 - back) === b.at(-1 - back)) back++;
  return (front + back) / Math.max(a.length, b.length);
}

function check(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen).slice(0, 1_000)}`);
}

type Value = Record<string, unknown>;

/** Counts what each call costs. */
class CountedSession implements AsyncDisposable {
  readonly #client = new Client({ name: "vise-realwork", version: "1.0.0" });
  readonly #startedAt = performance.now();
  readonly #cost = { calls: 0, bytes: 0, tokens: 0, testsMs: 0 };

  async start(root: string): Promise<void> {
    const [command, ...args] = serverCommand();
    const { PATH = "", HOME = "", DENO_DIR } = Deno.env.toObject();
    const env = { PATH, HOME, ...(DENO_DIR === undefined ? {} : { DENO_DIR }) };
    await this.#client.connect(
      new StdioClientTransport({ command, args: [...args, "serve", "--workspace", root], stderr: "ignore", env }),
    );
  }

  /** @throws Error when the tool reports a failure */
  async call(name: string, args: Value): Promise<Value> {
    const result = await this.#client.callTool({ name, arguments: args }) as {
      content: { text?: string }[];
      structuredContent: Value;
      isError?: boolean;
    };
    const [asked, answered, text] = [JSON.stringify(args), JSON.stringify(result), textOf(result)];
    this.#cost.calls++;
    this.#cost.bytes += Buffer.byteLength(asked) + Buffer.byteLength(answered);
    this.#cost.tokens += encode(asked).length + encode(text).length;
    if (result.isError === true) throw new Error(`${name}: ${text.slice(0, 1_000)}`);
    return result.structuredContent;
  }

  /** Runs a command to its end. */
  async command(cmd: string): Promise<Value> {
    const startedAt = performance.now();
    const limits = { yield_time_ms: 30_000, max_output_bytes: OUTPUT_BYTES };
    let value = await this.call("exec_command", { cmd, ...limits });
    while (value.status === "running") {
      value = await this.call("write_stdin", { command_id: value.command_id, ...limits });
    }
    if (!cmd.startsWith("git ")) this.#cost.testsMs += performance.now() - startedAt;
    return value;
  }

  cost(): Cost {
    return { ...this.#cost, elapsedMs: performance.now() - this.#startedAt };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
