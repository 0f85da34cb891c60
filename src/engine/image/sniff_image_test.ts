import { strictEqual } from "node:assert/strict";
import { sniffImage } from "./sniff_image.ts";

const SIGNATURES: readonly [string, string | null][] = [
  ["\x89PNG\r\n\x1a\n", "png"],
  ["\xff\xd8\xff\xe0", "jpeg"],
  ["GIF87a", "gif"],
  ["GIF89a", "gif"],
  ["RIFF\x10\0\0\0WEBPVP8 ", "webp"],
  ["RIFF\x10\0\0\0WAVEfmt ", null],
  ["II*\0\x08\0\0\0", "tiff"],
  ["MM\0*\0\0\0\x08", "tiff"],
  ["II+\0\x08\0\0\0", "bigtiff"],
  ["BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "bmp"],
  ["BM is how this text begins, not a bitmap", null],
  ["\0\0\0\x1cftypavif\0\0\0\0", "avif"],
  ["\0\0\0\x1cftypmif1\0\0\0\0mif1heic", "heic"],
  ["\0\0\0\x1cftypheic\0\0\0\0", "heic"],
  ["\0\0\0\x1cftypisom\0\0\0\0", null],
  ["\0\0\0\x0cJXL \r\n\x87\n", "jxl"],
  ["\xff\x0a\xfa", "jxl"],
  ["\0\0\x01\0\x01\0", "ico"],
  ["%PDF-1.7", "pdf"],
  ["8BPS\0\x01", "psd"],
  ['<svg xmlns="urn:x" width="4" height="4"/>', "svg"],
  ['\xef\xbb\xbf<?xml version="1.0"?>\n<!-- drawn -->\n<svg>', "svg"],
  ["<html><body>", null],
  ["not an image", null],
  ["", null],
];

for (const [head, expected] of SIGNATURES) {
  Deno.test(`sniffImage() tells ${JSON.stringify(head.slice(0, 24))} to be ${expected ?? "no image"}`, () => {
    strictEqual(sniffImage(Uint8Array.from(head, (character) => character.charCodeAt(0))), expected);
  });
}
