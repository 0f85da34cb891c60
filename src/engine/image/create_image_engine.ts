/** Puts the image engine of a run together. */

import type { Config } from "../../config/config.ts";
import type { ChildHost } from "../../platform/child.ts";
import { unconfinedLaunch } from "../run/run_child.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { DecoderLink } from "./decoder/decoder_link.ts";
import { startDecoderProcess } from "./decoder/decoder_process.ts";
import { startDecoderWorker } from "./decoder/decoder_worker.ts";
import { ImageDecoder } from "./decoder/image_decoder.ts";
import { ImageEngine } from "./image_engine.ts";

export interface ImageEngineScene {
  readonly config: Config;
  readonly workspace: Workspace;
  readonly host: ChildHost;
}

/** Argument after `--role` that makes the executable a decoder. */
export const IMAGE_DECODER_ROLE = "image-decoder";

/** What a child of `deno run` needs to find its cached sources; a compiled executable needs none. */
const KEPT_VARIABLES = ["DENO_DIR", "HOME", "XDG_CACHE_HOME", "PATH", "TMPDIR"] as const;

/** Nothing is started before the first picture. */
export function createImageEngine(scene: ImageEngineScene): ImageEngine {
  return new ImageEngine({
    workspace: scene.workspace,
    decoder: new ImageDecoder({ start: () => Promise.resolve(startDecoder(scene)) }),
  });
}

function startDecoder({ config, host }: ImageEngineScene): DecoderLink {
  const { command, entryUrl } = config.self;
  if (command === null) return startDecoderWorker(entryUrl);
  const env: Record<string, string> = {};
  for (const name of KEPT_VARIABLES) {
    const value = config.environment[name];
    if (value !== undefined) env[name] = value;
  }
  const launch = unconfinedLaunch([...command, "--role", IMAGE_DECODER_ROLE], env["PATH"] ?? "");
  return startDecoderProcess({ host, launch, env, cwd: "/" });
}
