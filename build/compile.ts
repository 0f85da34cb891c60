/**
 * `deno task compile [--target TRIPLE] [--output FILE]`: bundles the program and packs it into one executable.
 *
 * Bundling with code splitting keeps every lazily loaded module in a file of its own. One flat bundle would hoist all
 * imports of `node:` modules to its top and start twice as slowly (measured: 52 ms against 29 ms, empty program 24 ms);
 * no bundle at all would embed whole packages and start slower still. `--no-code-cache`: the default cache is a file
 * in the shared temporary directory that anybody may replace with code of his own.
 *
 * `VISE_COMPILE_DENO` names the Deno that packs when it is not the one that runs this (an older runtime image).
 */

import { parseArgs } from "node:util";
import { packBundle } from "./pack_bundle.ts";

/** The five usual targets of `deno compile`. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/**
 * Bounds in megabytes for each heap, Workers included: a half of the young generation, and the old one at which it is
 * collected first. With V8's own 16 MB and a limit by the size of the machine garbage lies there for thousands of calls
 * and is never given back: 2,000 commands grew the process from 79 to 149 MB, with these from 74 to 88, at the same
 * processor time.
 */
export const SMALL_HEAP = "--v8-flags=--max-semi-space-size=2,--initial-old-space-size=16";

const BUNDLE_DIRECTORY = "dist/js";

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: "string" }, output: { type: "string" } } });
  await bundle();
  const output = await compile(values);
  const { size } = await Deno.stat(output);
  console.log(`${output}: ${(size / 1e6).toFixed(1)} MB`);
}

/** Writes the split bundle. @throws Error when a step fails */
export async function bundle(): Promise<void> {
  await Deno.remove(BUNDLE_DIRECTORY, { recursive: true }).catch(() => {});
  await run(Deno.execPath(), [
    "bundle",
    "--quiet",
    "--minify",
    "--code-splitting",
    "--outdir",
    BUNDLE_DIRECTORY,
    "main.ts",
  ]);
  await packBundle(BUNDLE_DIRECTORY);
}

/** Packs the bundle and returns the path of the executable. */
export async function compile({ target, output }: { target?: string; output?: string }): Promise<string> {
  const windows = target?.includes("windows") ?? Deno.build.os === "windows";
  const wanted = output ?? (target === undefined ? "dist/vise" : `dist/vise-${target}`);
  const path = windows && !wanted.endsWith(".exe") ? `${wanted}.exe` : wanted;
  const compiler = Deno.env.get("VISE_COMPILE_DENO") ?? Deno.execPath();
  const aim = target === undefined ? [] : ["--target", target];
  const flags = [
    "--quiet",
    "--no-check",
    "--no-config",
    "--unstable-no-legacy-abort",
    "--no-code-cache",
    "--no-prompt",
    SMALL_HEAP,
    "-A",
  ];
  await run(compiler, ["compile", ...flags, ...aim, "--output", path, `${BUNDLE_DIRECTORY}/main.js`]);
  return path;
}

async function run(program: string, args: string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command(program, { args, stdout: "inherit", stderr: "piped" }).output();
  if (code !== 0) {
    throw new Error(`${program} ${args.join(" ")} ended with ${code}\n${new TextDecoder().decode(stderr)}`);
  }
}
