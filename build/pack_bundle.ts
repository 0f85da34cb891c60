/**
 * Makes the split bundle start faster. An executable reads all that it holds before it starts (about 0.8 ms for a
 * megabyte), and `deno bundle` puts an import of `node:module` into what every file shares, which loads the whole
 * Node layer of Deno (11 ms in Deno 2.9) although only a rarely used package asks for `require`.
 */

import { Buffer } from "node:buffer";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";

/** Base64 of WebAssembly (its magic number) that is long enough to be worth packing. */
const WEBASSEMBLY = /(["'`])(AGFzb[A-Za-z0-9+/]{50000,}={0,2})\1/g;

const REQUIRE_IMPORT =
  /import\s*\{\s*createRequire as (\w+)\s*\}\s*from\s*"node:module";\s*((?:var|const|let)\s+[\w$]+)\s*=\s*\1\(import\.meta\.url\);/;

/** Rewrites the files of `directory` in place. @throws Error when a start would load Node's modules */
export async function packBundle(directory: string): Promise<void> {
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith(".js")) continue;
    const path = join(directory, name);
    const before = await Deno.readTextFile(path);
    const after = withLazyRequire(withPackedWebAssembly(before));
    if (after !== before) await Deno.writeTextFile(path, after);
    texts.set(name, after);
  }
  refuseNodeAtStart(texts);
}

/** The text of one file with its WebAssembly deflated; it becomes the same base64 again where it is evaluated. */
export function withPackedWebAssembly(text: string): string {
  let count = 0;
  const packed = text.replaceAll(WEBASSEMBLY, (_literal, _quote: string, base64: string) => {
    count++;
    return `__viseUnpack("${deflateRawSync(Buffer.from(base64, "base64"), { level: 9 }).toString("base64")}")`;
  });
  if (count === 0) return text;
  return 'import{inflateRawSync as __viseInflate}from"node:zlib";import{Buffer as __viseBuffer}from"node:buffer";' +
    'function __viseUnpack(t){return __viseInflate(__viseBuffer.from(t,"base64")).toString("base64")}' + packed;
}

/**
 * The text of one file with `require` made by the first that calls it for more than a module of Node, because it asks for
 * the current directory, which may be gone.
 */
export function withLazyRequire(text: string): string {
  return text.replace(
    REQUIRE_IMPORT,
    (_import, _name, variable: string) =>
      `${variable}=name=>process.getBuiltinModule(name)??` +
      'process.getBuiltinModule("node:module").createRequire(import.meta.url)(name);',
  );
}

/** Follows the static imports from the files that a start loads. */
function refuseNodeAtStart(texts: ReadonlyMap<string, string>): void {
  const starts = [...texts.keys()].filter((name) => name === "main.js" || name.startsWith("run_cli-"));
  const loaded = new Set<string>(starts);
  for (const name of loaded) {
    for (const [, specifier = ""] of (texts.get(name) ?? "").matchAll(/\b(?:from|import)\s*"([^"]+)"/g)) {
      if (specifier.startsWith("node:")) throw new Error(`${name} would load ${specifier} at every start`);
      loaded.add(specifier.replace(/^\.\//, ""));
    }
  }
  if (loaded.size < 5) throw new Error(`the bundle looks different from what is expected: ${[...loaded].join(" ")}`);
}
