/**
 * `deno run -A build/checksums.ts DIRECTORY`: writes SHA256SUMS and SIZES.md for the executables in a directory.
 *
 * SIZES.md has the raw size and the size after gzip, which is about what a download costs.
 */

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

if (import.meta.main) {
  const [directory] = Deno.args;
  if (directory === undefined) {
    console.error("usage: deno run -A build/checksums.ts DIRECTORY");
    Deno.exit(2);
  }
  const { sums, sizes } = await describeExecutables(directory);
  await writeText(join(directory, "SHA256SUMS"), sums);
  await writeText(join(directory, "SIZES.md"), sizes);
  console.log(sizes);
}

/** Texts of both files. @throws Error when there is no executable */
export async function describeExecutables(directory: string): Promise<{ sums: string; sizes: string }> {
  const names = readdirSync(directory).filter((name) => /^vise(?:-|\.exe$|$)/.test(name) && !name.endsWith(".tmp"))
    .sort();
  if (names.length === 0) throw new Error(`no executable in ${directory}`);
  const rows: string[] = [];
  const sums: string[] = [];
  for (const name of names) {
    const path = join(directory, name);
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    sums.push(`${hash.digest("hex")}  ${name}`);
    rows.push(`| ${name} | ${megabytes(statSync(path).size)} | ${megabytes(await compressedBytes(path))} |`);
  }
  return {
    sums: sums.join("\n") + "\n",
    sizes: ["| File | MB | MB compressed |", "| --- | --- | --- |", ...rows, ""].join("\n"),
  };
}

async function compressedBytes(path: string): Promise<number> {
  let bytes = 0;
  const count = new Writable({
    write(chunk, _encoding, done) {
      bytes += chunk.length;
      done();
    },
  });
  await pipeline(createReadStream(path), createGzip({ level: 6 }), count);
  return bytes;
}

async function writeText(path: string, text: string): Promise<void> {
  await pipeline([text], createWriteStream(path));
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
