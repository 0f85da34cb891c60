import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { sampleRaster } from "../../../tests/support/sample_images.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { ToolError } from "../../base/tool_error.ts";
import { Workspace } from "../workspace/workspace.ts";
import { encodePng } from "./codec/encode_png.ts";
import { DecoderGone } from "./decoder/decoder_link.ts";
import { DecodeTimeout, type ImageDecoder } from "./decoder/image_decoder.ts";
import { ImageEngine } from "./image_engine.ts";

const LIMITS = { maxBytes: 1_000_000, maxWidth: 100, maxHeight: 100, autoResize: true };

Deno.test("a decoder that takes too long or ends is a property of the picture, with the way out", async () => {
  using place = new TempWorkspace();
  place.write("a.png", encodePng(sampleRaster(4, 4)));
  const workspace = new Workspace(place.root);
  const faults: [Error, Record<string, unknown>][] = [
    [new DecodeTimeout(20_000), { reason: "time_limit", limit_ms: 20_000 }],
    [new DecoderGone("killed by SIGKILL"), { reason: "decoder_ended" }],
  ];
  for (const [fault, facts] of faults) {
    const decoder = { decode: () => Promise.reject(fault), close: () => Promise.resolve() };
    const engine = new ImageEngine({ workspace, decoder: decoder as unknown as ImageDecoder });
    await rejects(engine.view("a.png", LIMITS, new AbortController().signal), (thrown) => {
      if (!(thrown instanceof ToolError)) return false;
      const { retry_hint, path, ...rest } = thrown.details;
      deepStrictEqual([thrown.code, path, typeof retry_hint, rest], ["UNSUPPORTED_MEDIA", "a.png", "string", facts]);
      strictEqual(thrown.message.includes(fault.message), true);
      return true;
    });
  }
  workspace.close();
});
