/**
 * Program that stands for the server in the attack tests: it holds a secret, prepares confined starts as the server
 * does and runs what it is told. One JSON request a line on standard input, one JSON answer a line on standard output.
 *
 * It needs no package, so that it also runs as a user who cannot read the package cache.
 */

import type { Config, NetworkReach } from "../../../src/config/config.ts";
import { runChild } from "../../../src/engine/run/run_child.ts";
import { Sandbox } from "../../../src/engine/sandbox/sandbox.ts";
import { createChildHost } from "../../../src/platform/create_child_host.ts";

export interface HostStart {
  readonly workspace: string;
  /** Existing directory with `home` and `tmp`, writable by commands. */
  readonly runtime: string;
  readonly config: Partial<Config>;
}

export interface RunRequest {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly network?: NetworkReach;
  readonly purpose?: "command" | "git" | "pipes";
  readonly stdin?: string;
}

export interface RunAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly report: unknown;
  readonly warnings: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

const start = JSON.parse(Deno.args[0] ?? "{}") as HostStart;
const config = {
  workspace: start.workspace,
  permissionMode: "safe",
  network: "none",
  requireSandbox: false,
  workspaceMutation: "unrestricted",
  writePaths: [],
  execAllowRoots: [],
  ...start.config,
} as unknown as Config;
const sandbox = new Sandbox(config, () =>
  Promise.resolve({
    writableRoots: [start.runtime],
    toolchainRoots: config.execAllowRoots,
    readableFiles: [],
    launchPrefix: `${start.runtime}.launch`,
  }));
const host = createChildHost();

async function run(request: RunRequest): Promise<RunAnswer> {
  try {
    const prepared = await sandbox.prepare(request.argv, {
      purpose: request.purpose ?? "command",
      ...(request.network === undefined ? {} : { network: request.network }),
    });
    const result = await runChild(host, {
      argv: request.argv,
      launch: prepared.launch,
      env: {
        PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
        HOME: `${start.runtime}/home`,
        TMPDIR: `${start.runtime}/tmp`,
        LANG: "C.UTF-8",
        ...request.env,
      },
      cwd: start.workspace,
      maxBytes: 1 << 20,
      deadlineMs: 60_000,
      ...(request.stdin === undefined ? {} : { stdin: new TextEncoder().encode(request.stdin) }),
    });
    return {
      stdout: new TextDecoder().decode(result.stdout),
      stderr: new TextDecoder().decode(result.stderr),
      exitCode: result.exit.exitCode,
      signal: result.exit.signal,
      report: prepared.report,
      warnings: prepared.warnings,
    };
  } catch (fault) {
    const { code, message } = fault as { code?: string; message: string };
    return {
      stdout: "",
      stderr: "",
      exitCode: null,
      signal: null,
      report: null,
      warnings: [],
      error: { code: code ?? String(fault), message },
    };
  }
}

const decoder = new TextDecoder();
let rest = "";
for await (const bytes of Deno.stdin.readable) {
  rest += decoder.decode(bytes, { stream: true });
  const lines = rest.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const answer = await run(JSON.parse(line) as RunRequest);
    await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(answer) + "\n"));
  }
}
sandbox.close();
Deno.exit(0);
