/** Puts the image engine of a run together. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config, SelfStart } from "../../config/config.ts";
import type { ChildHost } from "../../platform/child.ts";
import { SystemError } from "../../platform/errno.ts";
import type { PathRule } from "../../platform/path_rule.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { DecoderLink } from "./decoder/decoder_link.ts";
import { startDecoderProcess } from "./decoder/decoder_process.ts";
import { startDecoderWorker } from "./decoder/decoder_worker.ts";
import { ImageDecoder } from "./decoder/image_decoder.ts";
import { ImageEngine } from "./image_engine.ts";

/** What decoding apart from the server needs. */
export interface ImageEngineScene {
  readonly config: Config;
  readonly workspace: Workspace;
  readonly host: ChildHost;
  readonly sandbox: () => Promise<Sandbox>;
}

/** Argument after `--role` that makes the executable a decoder. */
const IMAGE_DECODER_ROLE = "image-decoder";

/** What a child of `deno run` needs to find its cached sources; a compiled executable needs none. */
const KEPT_VARIABLES = ["DENO_DIR", "HOME", "XDG_CACHE_HOME"] as const;

/** Nothing is started before the first picture. */
export function createImageEngine(scene: ImageEngineScene): ImageEngine {
  const decoder = new ImageDecoder({ start: () => startDecoder(scene) });
  return new ImageEngine({ workspace: scene.workspace, decoder });
}

async function startDecoder({ config, host, sandbox }: ImageEngineScene): Promise<DecoderLink> {
  const { command, entryUrl } = config.self;
  if (command === null) return startDecoderWorker(entryUrl);
  const fromSources = command.length > 1;
  const env: Record<string, string> = {};
  for (const name of fromSources ? KEPT_VARIABLES : []) {
    const value = config.environment[name];
    if (value !== undefined) env[name] = value;
  }
  // Security: a picture that takes over the decoder finds no file to read, no socket, and no process to signal.
  const { launch } = await (await sandbox()).prepare([...command, "--role", IMAGE_DECODER_ROLE], {
    purpose: "pipes",
    extraRules: ownFiles(config.self, env),
  });
  try {
    return startDecoderProcess({ host, launch, env, cwd: "/" });
  } catch (fault) {
    // No right to run programs, no process or memory left: the picture can still be decoded here.
    if (fault instanceof SystemError) return startDecoderWorker(entryUrl);
    throw fault;
  }
}

/** The program itself; run from sources, these and the cache of their packages as well. */
function ownFiles({ command, entryUrl }: SelfStart, env: Readonly<Record<string, string>>): PathRule[] {
  const [program = "", ...rest] = command ?? [];
  const rules: PathRule[] = [{ path: program, access: "execute", required: true }];
  if (rest.length === 0) return rules;
  const cache = env["DENO_DIR"] ?? `${env["XDG_CACHE_HOME"] ?? `${env["HOME"] ?? ""}/.cache`}/deno`;
  rules.push({ path: cache, access: "read", required: false });
  if (entryUrl.startsWith("file:")) {
    rules.push({ path: dirname(fileURLToPath(entryUrl)), access: "read", required: false });
  }
  return rules;
}
