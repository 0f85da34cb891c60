/** Entry of the program: arguments in, exit code out. The only file that ends the process. */

/** Exit codes of ending by a signal: 128 plus its number (contract 10.3). */
const SIGNAL_EXITS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** How long the end may take once a signal came; then the process goes all the same. */
const END_LIMIT_MS = 5_000;

/** The bounds of the heap that the executable is built with (`build/compile.ts`), for a program started from its sources. */
const SMALL_HEAP = "--v8-flags=--max-semi-space-size=2,--initial-old-space-size=16";

/** How long a reader of standard error may keep the end waiting. */
const LAST_WORDS_MS = 200;

const role = ownRole();
if (role === null) await main();
else await (await import("./src/run_role.ts")).runRole(role, isWorker() ? self : null);

/** Hidden role that this process or Worker was started in; null for the program itself. */
function ownRole(): string | null {
  if (isWorker()) return self.name.replace(/^vise:/, "");
  return Deno.args[0] === "--role" ? Deno.args[1] ?? "" : null;
}

function isWorker(): boolean {
  return "DedicatedWorkerGlobalScope" in globalThis;
}

async function main(): Promise<void> {
  // Not a static import: every Worker evaluates this file too, and would keep 7 MB for a command line it never runs.
  const { runCli } = await import("./src/cli/run_cli.ts").catch(endUnread);
  const endings: (() => Promise<void>)[] = [];
  const unwritten = new Set<Promise<void>>();
  const code = await runCli(Deno.args, {
    environment: readEnvironment(),
    currentDirectory: currentDirectory(),
    places: { canonical: canonicalPath, isDirectory: (path) => Deno.statSync(path).isDirectory },
    self: { entryUrl: import.meta.url, command: ownCommand() },
    out: (text) => write(Deno.stdout, text),
    err: (text) => {
      const writing = write(Deno.stderr, text).finally(() => unwritten.delete(writing));
      unwritten.add(writing);
      return writing;
    },
    readInput: async () => await new Response(Deno.stdin.readable).text(),
    onSignal: (end) => {
      if (endings.push(end) === 1) watchSignals(endings);
    },
  });
  // The log is written without waiting for it; what came last is often what explains the end.
  if (unwritten.size > 0) await Promise.race([Promise.all(unwritten), pause(LAST_WORDS_MS)]);
  Deno.exit(code);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Without read permission not even the code that explains faults can be loaded. @throws any other fault */
async function endUnread(fault: unknown): Promise<never> {
  const place = import.meta.dirname;
  if (place === undefined || await isReadable(place)) throw fault;
  await write(
    Deno.stderr,
    `ERROR: the runtime may not read this program: start it with --allow-read=${place},WORKSPACE\n`,
  );
  Deno.exit(2);
}

async function isReadable(path: string): Promise<boolean> {
  return (await Deno.permissions.query({ name: "read", path })).state === "granted";
}

function watchSignals(endings: readonly (() => Promise<void>)[]): void {
  for (const [signal, code] of Object.entries(SIGNAL_EXITS)) {
    if (Deno.build.os === "windows" && signal !== "SIGINT") continue;
    Deno.addSignalListener(signal as Deno.Signal, () => {
      setTimeout(() => Deno.exit(code), END_LIMIT_MS);
      Promise.allSettled(endings.map((end) => end())).then(() => Deno.exit(code));
    });
  }
}

async function write(stream: { write(bytes: Uint8Array): Promise<number> }, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += await stream.write(bytes.subarray(at));
  } catch {
    // The reader closed its end; nobody is left to tell.
  }
}

/** The root where the directory was removed or may not be known: it is refused as a workspace, and relative paths lead nowhere. */
function currentDirectory(): string {
  try {
    return Deno.cwd();
  } catch {
    return "/";
  }
}

function canonicalPath(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Nothing there, or a part of the way may not be read: either way it cannot be used.
    return null;
  }
}

/** Empty where the permission to read it was not given: everything then takes its default. */
function readEnvironment(): Record<string, string> {
  try {
    return Deno.env.toObject();
  } catch {
    return {};
  }
}

/** How to start this program again: the executable itself, or `deno run` with the same entry. */
function ownCommand(): readonly string[] | null {
  try {
    const executable = Deno.execPath();
    return Deno.build.standalone
      ? [executable]
      : [executable, "run", "--quiet", "-A", SMALL_HEAP, import.meta.filename ?? import.meta.url];
  } catch {
    // Without --allow-run the own path is not known, and no child could be started anyway.
    return null;
  }
}
