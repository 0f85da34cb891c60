/** The composition root: builds engines, catalog, protocol and transport, and closes them in reverse. */

import { PRODUCT } from "./base/product.ts";
import { Catalog, type CatalogOptions } from "./catalog/catalog.ts";
import type { Config } from "./config/config.ts";
import { ProjectContext } from "./engine/guide/project_context.ts";
import type { MadeEngines } from "./engine/make_engines.ts";
import { lazy } from "./base/lazy.ts";
import { QUICK_FILES } from "./platform/quick_files.ts";
import type { Served } from "./protocol/served.ts";
import { serveStdio } from "./transport/stdio.ts";

/** What a run needs from the process it is in. */
export interface ServeScene {
  /** Writes one line for people. */
  readonly log: (line: string) => void;
  /** Registers what must end before the process does. */
  readonly onSignal: (end: () => Promise<void>) => void;
}

/** The parts of a run, connected but not serving. */
export interface Composition {
  readonly served: Served;
  readonly catalog: Catalog;
  /** Finishes or undoes a change that a dead process left half done (O-24), and ends the commands it left (O-37). */
  readonly recover: () => Promise<void>;
  /** Ends commands and removes runtime directories; safe to call twice. */
  readonly shutDown: () => Promise<void>;
}

/** Everything behind the transport; `vise call` uses the same, so that it takes the same path as a server. */
export function compose(config: Config, log: (line: string) => void): Composition {
  // Made by the first call: the modules behind it cost more than the whole rest of the start.
  const engines = lazy(async () => {
    const { makeEngines } = await import("./engine/make_engines.ts");
    return started = makeEngines(config, log);
  });
  let started: MadeEngines | undefined;
  const catalog = new Catalog({
    config,
    engines,
    logFault: (line) => log(`internal error in ${line}`),
    ...tracing(config, log),
  });
  const served: Served = { info: PRODUCT, catalog, instructions: instructionsOf(config, { engines, log }), log };
  const endLeftovers = async () => {
    const { mayHaveLeftovers } = await import("./engine/run/may_have_leftovers.ts");
    if (!mayHaveLeftovers(config.runtimeRoot)) return;
    const ended = await (await engines()).endLeftovers();
    if (ended > 0) {
      catalog.noteForNextResult(`A server that was killed had left ${ended} processes running; they were ended`);
    }
  };
  const recover = async () => {
    await endLeftovers();
    const { hasJournal } = await import("./engine/patch/state_places.ts");
    if (!hasJournal({ ...config, root: config.workspace })) return;
    for (const line of await (await (await engines()).patch()).recoverJournal()) catalog.noteForNextResult(line);
  };
  return { served, catalog, recover, shutDown: async () => await started?.shutDown() };
}

interface InstructionScene {
  readonly engines: () => Promise<MadeEngines>;
  readonly log: (line: string) => void;
}

/** The text for `instructions`: ours, then what the project says (contract 9.2). */
function instructionsOf(config: Config, { engines, log }: InstructionScene): () => Promise<string> {
  const workspace = async () => (await engines()).workspace;
  const context = new ProjectContext({ root: config.workspace, files: QUICK_FILES, workspace });
  return async () => {
    try {
      const project = await context.text();
      return project === "" ? BASE_INSTRUCTIONS : `${BASE_INSTRUCTIONS}\n\n${project}`;
    } catch (fault) {
      // A project whose files cannot be read must not keep a client from connecting.
      log(`could not read the project's instructions: ${String(fault)}`);
      return BASE_INSTRUCTIONS;
    }
  };
}

const BASE_INSTRUCTIONS =
  "Use these tools only for work inside this workspace. Prefer apply_changes for edits by line number and apply_patch for edits by context; do not change files through exec_command.";

/** Writes a line per call when `VISE_TRACE` asks for it; a server without it never loads the code. */
function tracing(config: Config, log: (line: string) => void): Pick<CatalogOptions, "trace"> {
  if (!config.trace) return {};
  return {
    trace: async (record) => {
      const { traceLine } = await import("./catalog/trace.ts");
      log(traceLine(record, new Date()));
    },
  };
}

/** Serves until the client leaves or, over HTTP, until the process is told to end; resolves after everything that was started has ended. */
export async function serve(config: Config, scene: ServeScene): Promise<void> {
  const { served, recover, shutDown } = compose(config, scene.log);
  await hideSecrets(config);
  warnAtStart(config, scene.log);
  // Once, and beside other work: a write settles what it needs by itself. Its modules would double the time to the first
  // answer, so a client that starts with the handshake gets that first.
  const settle = lazy(() =>
    recover().catch((fault) => scene.log(`could not settle an interrupted change: ${String(fault)}`))
  );
  if (config.transport === "http") {
    setTimeout(settle, 0);
    return await serveOverHttp(config, { scene, served, shutDown });
  }
  const whileWaiting = () => {
    scene.onSignal(shutDown);
    // The first `setTimeout` loads the timers of Node: 4 ms in Deno 2.9, where this takes half of one.
    AbortSignal.timeout(SETTLE_AFTER_MS).addEventListener("abort", settle);
  };
  await serveStdio({ served, whileWaiting, afterHandshake: settle, shutDown });
}

/** Recovery waits no longer than this for a client that says nothing. */
const SETTLE_AFTER_MS = 250;

/** Security: command lines and, to root, environments of other processes can be read under /proc. */
async function hideSecrets({ http }: Config): Promise<void> {
  const { password, tokenSecret, clientSecret } = http.oauth;
  const secrets = [http.authToken, password, tokenSecret, clientSecret].filter((secret) => secret !== null);
  if (secrets.length === 0) return;
  const { eraseSecrets } = await import("./platform/linux/erase_secrets.ts");
  eraseSecrets(secrets);
}

interface HttpScene {
  readonly scene: ServeScene;
  readonly served: Served;
  readonly shutDown: () => Promise<void>;
}

async function serveOverHttp(config: Config, { scene, served, shutDown }: HttpScene): Promise<void> {
  const { serveHttp } = await import("./transport/http/serve_http.ts");
  const { LISTING } = await import("./catalog/listing_data.ts");
  const oauth = config.http.authMode === "oauth"
    ? (await import("./transport/http/oauth/oauth.ts")).makeOAuth(config.http.oauth, scene.log)
    : null;
  const server = serveHttp({ config, served, trueListing: LISTING, oauth });
  scene.onSignal(async () => {
    // Commands end first: calls that wait for them then answer, and the listener can close with nothing cut off.
    await shutDown();
    await server.close();
  });
  await server.finished;
  await shutDown();
}

function warnAtStart(config: Config, log: (line: string) => void): void {
  if (config.permissionMode === "dangerous") {
    log("WARNING: dangerous mode: commands run without any gate and without the sandbox");
  }
  if (config.fakeReadonlyAnnotations) log("WARNING: tools are advertised as read-only although they are not");
}
