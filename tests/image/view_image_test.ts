import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { Buffer } from "node:buffer";
import { encodeJpeg } from "../../src/engine/image/codec/encode_jpeg.ts";
import { encodePng } from "../../src/engine/image/codec/encode_png.ts";
import { animatedGif, joinBytes, ORIENTED_JPEG, rawPng, sampleRaster } from "../support/sample_images.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("view_image goes by the content of a file and never by its name", async () => {
  using workspace = new TempWorkspace();
  workspace.write("shot.png", ORIENTED_JPEG);
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("view_image", { path: "shot.png" });
  deepStrictEqual(result.content.map((block) => block.type), ["image", "text"]);
  strictEqual(result.content[0]!.mimeType, "image/jpeg");
  const { mime_type, width, height, orientation, warnings, original, resized } = result.structuredContent;
  deepStrictEqual([mime_type, width, height, orientation, resized], ["image/jpeg", 8, 16, 6, false]);
  deepStrictEqual(original, { bytes: 179, width: 8, height: 16, mime_type: "image/jpeg" });
  match(warnings[0], /name ends in \.png, but the content is image\/jpeg/);
  match(ViseProcess.text(result), /^Image: shot\.png \(image\/jpeg, 8×16\)\n/);
});

Deno.test("view_image sends an upright picture: black above white", async () => {
  using workspace = new TempWorkspace();
  workspace.write("o6.jpg", ORIENTED_JPEG);
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("view_image", { path: "o6.jpg" });
  const { decodeJpeg } = await import("../../src/engine/image/codec/decode_jpeg.ts");
  const rows: number[] = [];
  decodeJpeg(bytesOf(result), 8, () => ({ row: (pixels) => void rows.push(pixels[0]!) }));
  strictEqual(rows.length, 16);
  ok(rows.slice(0, 7).every((value) => value < 40) && rows.slice(9).every((value) => value > 215), rows.join());
});

Deno.test("view_image refuses what is no whole image, and sends no image block then", async () => {
  using workspace = new TempWorkspace();
  workspace.write("t.png", "not an image");
  workspace.write("zero.png", "");
  workspace.write("cut.jpg", ORIENTED_JPEG.slice(0, 90));
  workspace.write("v.svg", '<svg xmlns="urn:x" width="4" height="4"/>');
  workspace.write("a.pdf", "%PDF-1.7\n");
  workspace.write("a.avif", Buffer.from("\0\0\0\x1cftypavif\0\0\0\0", "latin1"));
  workspace.sh("mkfifo p.png; mkdir d");
  await using vise = new ViseProcess(workspace.root);
  const expected: readonly [string, string, RegExp][] = [
    ["t.png", "BINARY_FILE", /first bytes are not those of any image/],
    ["zero.png", "BINARY_FILE", /file is empty/],
    ["cut.jpg", "UNSUPPORTED_MEDIA", /JPEG data/],
    ["v.svg", "UNSUPPORTED_MEDIA", /SVG.*not a raster image/],
    ["a.pdf", "UNSUPPORTED_MEDIA", /PDF/],
    ["a.avif", "UNSUPPORTED_MEDIA", /AVIF/],
    ["p.png", "INVALID_ARGUMENT", /not a regular file but a FIFO/],
    ["d", "IS_DIRECTORY", /directory/],
    ["missing.png", "NOT_FOUND", /no such file/],
    ["../outside.png", "PATH_OUTSIDE_WORKSPACE", /./],
  ];
  for (const [path, code, message] of expected) {
    const result = await vise.call("view_image", { path });
    strictEqual(result.isError, true, path);
    deepStrictEqual(result.content.map((block) => block.type), ["text"]);
    strictEqual(result.structuredContent.error.code, code, path);
    match(result.structuredContent.error.message, message);
  }
  const svg = await vise.failure("view_image", { path: "v.svg" });
  deepStrictEqual(svg.details.next_action, { tool: "read_file", arguments: { path: "v.svg" } });
});

Deno.test("view_image keeps enormous and many-framed pictures within the limits", async () => {
  using workspace = new TempWorkspace();
  workspace.write("bomb.png", rawPng({ width: 60_000, height: 60_000 }));
  workspace.write("wide.png", rawPng({ width: 2_147_483_647, height: 1 }));
  workspace.write("anim.gif", animatedGif(300, 500));
  workspace.write("strip.png", encodePng(sampleRaster(9_000, 10)));
  workspace.write("tail.png", joinBytes([encodePng(sampleRaster(50, 50)), new Uint8Array(12_000_000)]));
  await using vise = new ViseProcess(workspace.root);
  for (const path of ["bomb.png", "wide.png"]) {
    const { code, message } = await vise.failure("view_image", { path });
    strictEqual(code, "UNSUPPORTED_MEDIA");
    match(message, /at most/);
  }
  const gif = await vise.value("view_image", { path: "anim.gif" });
  deepStrictEqual([gif.frames, gif.mime_type, gif.bytes], [300, "image/gif", gif.original.bytes]);
  match(gif.warnings[0], /300 frames/);
  const still = await vise.value("view_image", { path: "anim.gif", max_width: 100 });
  deepStrictEqual([still.frames, still.mime_type, still.width, still.height], [300, "image/webp", 100, 100]);
  match(still.warnings.join(), /Only the first of 300 frames/);
  const strip = await vise.value("view_image", { path: "strip.png" });
  deepStrictEqual([strip.width, strip.height, strip.resized], [2_000, 2, true]);
  const tail = await vise.value("view_image", { path: "tail.png" });
  ok(tail.bytes < 20_000 && tail.original.bytes > 12_000_000);
  for (const path of ["anim.gif", "strip.png", "tail.png"]) {
    const result = await vise.call("view_image", { path, max_bytes: 1_024 });
    ok(result.isError ? result.content.length === 1 : bytesOf(result).length <= 1_024, path);
  }
});

Deno.test("the call that view_image suggests for a picture of too many bytes succeeds", async () => {
  using workspace = new TempWorkspace();
  const noise = sampleRaster(400, 300);
  for (let i = 0; i < noise.data.length; i++) noise.data[i]! ^= (i * 2654435761) >>> 25;
  workspace.write("noise.png", encodePng(noise));
  await using vise = new ViseProcess(workspace.root);
  const { code, details } = await vise.failure("view_image", { path: "noise.png", max_bytes: 20_000 });
  strictEqual(code, "OUTPUT_TOO_LARGE");
  ok(details.bytes > 20_000 && details.max_bytes === 20_000 && details.resize_attempted === true);
  const next = await vise.value(details.next_action.tool, details.next_action.arguments);
  ok(next.bytes <= 20_000);
});

Deno.test("base64 of the picture is in the image block and nowhere else", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.png", encodePng(sampleRaster(60, 60)));
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("view_image", { path: "a.png" });
  const data = result.content[0]!.data!;
  strictEqual(JSON.stringify(result).split(data.slice(0, 40)).length, 2);
  deepStrictEqual(bytesOf(result), workspace.bytes("a.png"));
});

Deno.test("a ping is answered while a picture is decoded", async () => {
  using workspace = new TempWorkspace();
  workspace.write("large.jpg", encodeJpeg(sampleRaster(4_000, 3_000), 85));
  await using vise = new ViseProcess(workspace.root);
  await vise.request("ping");
  const order: string[] = [];
  const picture = vise.value("view_image", { path: "large.jpg" }).then((value) => {
    order.push("picture");
    return value;
  });
  await vise.request("ping").then(() => order.push("ping"));
  deepStrictEqual([(await picture).width, (await picture).height], [2_000, 1_500]);
  deepStrictEqual(order, ["ping", "picture"]);
});

Deno.test("a cancelled picture is not answered and the next one is shown", async () => {
  using workspace = new TempWorkspace();
  workspace.write("large.jpg", encodeJpeg(sampleRaster(4_000, 3_000), 85));
  workspace.write("small.png", encodePng(sampleRaster(20, 20)));
  await using vise = new ViseProcess(workspace.root);
  const call = { name: "view_image", arguments: { path: "large.jpg" } };
  vise.sendRaw(JSON.stringify({ jsonrpc: "2.0", id: 7001, method: "tools/call", params: call }) + "\n");
  vise.sendRaw(
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7001 } }) + "\n",
  );
  strictEqual((await vise.value("view_image", { path: "small.png" })).width, 20);
  ok(!vise.lines.some((line) => line.includes('"id":7001')));
});

Deno.test({
  name: "the decoder is one child under a filter, and it ends with the server",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    workspace.write("a.png", encodePng(sampleRaster(60, 60)));
    const vise = new ViseProcess(workspace.root);
    await vise.value("view_image", { path: "a.png" });
    await vise.value("view_image", { path: "a.png" });
    const children = childrenOf(vise.child.pid!);
    strictEqual(children.length, 1);
    const status = readFileSync(`/proc/${children[0]}/status`, "utf8");
    match(status, /NoNewPrivs:\t1/);
    match(status, /Seccomp:\t2/);
    await vise.close();
    strictEqual(readdirSync("/proc").includes(String(children[0])), false);
  },
});

Deno.test("a decoder that was killed while it waited is replaced without a word", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.png", encodePng(sampleRaster(60, 60)));
  await using vise = new ViseProcess(workspace.root);
  await vise.value("view_image", { path: "a.png" });
  for (const pid of childrenOf(vise.child.pid!)) Deno.kill(pid, "SIGKILL");
  strictEqual((await vise.value("view_image", { path: "a.png" })).width, 60);
});

function bytesOf(result: { content: { type: string; data?: string }[] }): Uint8Array {
  return new Uint8Array(Buffer.from(result.content[0]!.data!, "base64"));
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((candidate) => {
    try {
      return new RegExp(`^PPid:\\t${pid}$`, "m").test(readFileSync(`/proc/${candidate}/status`, "utf8"));
    } catch {
      return false;
    }
  });
}

Deno.test("view_image reads no file above 64 MiB", async () => {
  using workspace = new TempWorkspace();
  workspace.write("big.png", encodePng(sampleRaster(4, 4)));
  workspace.sh("truncate -s 67108865 big.png");
  await using vise = new ViseProcess(workspace.root);
  const { code, details } = await vise.failure("view_image", { path: "big.png" });
  deepStrictEqual([code, details.bytes, details.max_bytes], ["OUTPUT_TOO_LARGE", 67_108_865, 67_108_864]);
});
