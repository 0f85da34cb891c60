/** What the entry does when the program started it itself, as a child process or a Worker. */

import type { DecoderScope } from "./engine/image/run_image_decoder_role.ts";
import type { WorkerScope } from "./engine/search/search_role.ts";

/**
 * Runs the hidden role `name` until its input ends. In a Worker `scope` is its global scope, and this returns once it
 * listens; in a child process `scope` is null.
 */
export async function runRole(name: string, scope: object | null): Promise<void> {
  if (name === "search" && scope !== null) {
    const { serveSearchRole } = await import("./engine/search/search_role.ts");
    serveSearchRole(scope as WorkerScope);
    return;
  }
  if (name !== "image-decoder") throw new Error(`no role is called ${name}`);
  const { runImageDecoderRole, serveImageDecoderWorker } = await import("./engine/image/run_image_decoder_role.ts");
  if (scope === null) await runImageDecoderRole();
  else serveImageDecoderWorker(scope as DecoderScope);
}
