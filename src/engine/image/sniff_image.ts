/** Tells the kind of a file by its first bytes; names are never trusted. */

/** Kinds that are decoded. */
export type ImageFormat = "png" | "jpeg" | "gif" | "webp" | "bmp" | "tiff";

/** Kinds that are recognised only to say what to do with them. */
export type RefusedFormat = "avif" | "heic" | "svg" | "jxl" | "ico" | "pdf" | "psd" | "jp2" | "bigtiff";

/** Media type of each kind (IANA). */
export const MIME_TYPES: Readonly<Record<ImageFormat, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  tiff: "image/tiff",
};

/** File name endings that fit a kind. */
export const EXTENSIONS: Readonly<Record<ImageFormat, readonly string[]>> = {
  png: ["png", "apng"],
  jpeg: ["jpg", "jpeg", "jpe", "jfif", "mpo"],
  gif: ["gif"],
  webp: ["webp"],
  bmp: ["bmp", "dib"],
  tiff: ["tif", "tiff"],
};

/** Bytes from the start of a file that {@link sniffImage} looks at. */
const SNIFF_BYTES = 1_024;

/** Kind of the file that begins with `head` (its first {@link SNIFF_BYTES} bytes or all); null when it is none of them. */
export function sniffImage(head: Uint8Array): ImageFormat | RefusedFormat | null {
  const text = latin1(head.subarray(0, SNIFF_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "webp";
  if (text.startsWith("II*\0") || text.startsWith("MM\0*")) return "tiff";
  if (text.startsWith("II+\0") || text.startsWith("MM\0+")) return "bigtiff";
  if (isBmp(head)) return "bmp";
  if (text.startsWith("\xff\x0a") || text.startsWith("\0\0\0\x0cJXL \r\n")) return "jxl";
  if (text.startsWith("\0\0\0\x0cjP  ") || text.startsWith("\xff\x4f\xff\x51")) return "jp2";
  if (text.startsWith("8BPS")) return "psd";
  if (text.startsWith("\0\0\x01\0") && head.length >= 6 && head[4] !== 0) return "ico";
  if (text.startsWith("%PDF-")) return "pdf";
  if (text.slice(4, 8) === "ftyp") return sniffIsoMedia(text);
  return isSvg(text) ? "svg" : null;
}

/** ISO base media file format: major and compatible brands (ISO/IEC 14496-12 section 4.3). */
function sniffIsoMedia(text: string): RefusedFormat | null {
  const brands = text.slice(8, 64);
  if (/avi[fs]/.test(brands)) return "avif";
  return /hei[cmsx]|hev[cmsx]|mif1|msf1/.test(brands) ? "heic" : null;
}

/** "BM", two reserved zero words, and a header size that exists: two letters alone begin many texts. */
function isBmp(head: Uint8Array): boolean {
  if (head[0] !== 0x42 || head[1] !== 0x4d || head.length < 18) return false;
  const headerSize = head[14]! | (head[15]! << 8);
  return head[16] === 0 && head[17] === 0 && [12, 16, 40, 52, 56, 64, 108, 124].includes(headerSize);
}

function isSvg(text: string): boolean {
  const start = text.replace(/^\xef\xbb\xbf/, "").trimStart();
  return start.startsWith("<") && /<svg[\s>:/]/i.test(start);
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
