/**
 * Compiles the search kernel: `deno run -A build/scan_kernel/make_scan_kernel.ts`.
 *
 * The result is checked in, so that neither users nor tests need the compiler; a test compares the digest of the source.
 */

import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";

/** Not a static import: nobody who only checks or runs Vise has to fetch the compiler (30 MB). */
const COMPILER = "npm:assemblyscript@0.28.20/asc";
const SOURCE = new URL("./scan_kernel.as", import.meta.url);
const TARGET = new URL("../../src/engine/search/scan_kernel_code.ts", import.meta.url);

interface Compiler {
  main(
    options: readonly string[],
    host: {
      readFile(name: string): string | null;
      writeFile(name: string, content: Uint8Array | string): void;
      listFiles(): string[];
    },
  ): Promise<{ error: Error | null; stderr: { toString(): string } }>;
}

const compiler: Compiler = await import(COMPILER);
const source = readFileSync(SOURCE, "utf8");
let binary: Uint8Array | undefined;
const options = ["kernel.ts", "--outFile", "kernel.wasm", "-O3", "--runtime", "stub", "--enable", "simd", "--noAssert"];
const { error, stderr } = await compiler.main([...options, "--initialMemory", "1"], {
  readFile: (name: string) => name === "kernel.ts" ? source : null,
  writeFile: (_name: string, content: Uint8Array | string) => {
    if (typeof content !== "string") binary = content;
  },
  listFiles: () => [],
});
if (error !== null || binary === undefined) throw new Error(`the kernel does not compile: ${stderr.toString()}`);

const lines = Buffer.from(binary).toString("base64").match(/.{1,100}/g) ?? [];
writeFileSync(
  TARGET,
  `/** The search kernel, compiled from build/scan_kernel/scan_kernel.as by build/scan_kernel/make_scan_kernel.ts. */

/** SHA-256 of the source that this was compiled from. */
export const SCAN_KERNEL_SOURCE_SHA256 = "${createHash("sha256").update(source).digest("hex")}";

/** The WebAssembly module, base64. */
export const SCAN_KERNEL_BASE64 = [
${lines.map((line) => `  "${line}",`).join("\n")}
].join("");
`,
);
