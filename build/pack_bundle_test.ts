import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { packBundle, withLazyRequire, withPackedWebAssembly } from "./pack_bundle.ts";

const SHIM = 'import{createRequire as __deno_internal_createRequire} from "node:module";' +
  "var m=__deno_internal_createRequire(import.meta.url);";

Deno.test("packed WebAssembly is smaller and evaluates to the same base64", async () => {
  const code = Buffer.concat([
    Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
    Buffer.alloc(100_000, "code"),
    randomBytes(3_000),
  ]);
  const base64 = code.toString("base64");
  const text = withPackedWebAssembly(`var t="${base64}";export{t};`);
  ok(text.length < 10_000, `${text.length} bytes`);
  const module = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  equal(module.t, base64);
});

Deno.test("text without WebAssembly stays as it is", () => {
  const text = `var a="AGFzbQEAAAA",b="${"x".repeat(60_000)}";`;
  equal(withPackedWebAssembly(text), text);
  equal(withLazyRequire(text), text);
});

Deno.test("require is made when it is called, and works", async () => {
  const text = withLazyRequire(`${SHIM}export{m as a};`);
  ok(!text.includes("import{"), text);
  await using place = await madeDirectory({ "chunk.js": text });
  const { a } = await import(`file://${join(place.path, "chunk.js")}`);
  equal(a("buffer").Buffer, Buffer);
});

Deno.test("a bundle whose start would load modules of Node is refused", async () => {
  const files = Object.fromEntries(["a", "b", "c"].map((name) => [`chunk-${name}.js`, `export var ${name}=1;`]));
  const imports = Object.keys(files).map((name) => `import"./${name}";`).join("");
  const good = { ...files, "main.js": 'await import("./run_cli-X.js");', "run_cli-X.js": imports };
  await using fine = await madeDirectory({ ...good, "chunk-a.js": `${SHIM}export{m as a};` });
  await packBundle(fine.path);
  await using slow = await madeDirectory({ ...good, "chunk-a.js": 'import{readFileSync as r}from"node:fs";r;' });
  await rejects(packBundle(slow.path), /chunk-a\.js would load node:fs at every start/);
  await using lazy = await madeDirectory({ ...good, "engine.js": 'import{readFileSync as r}from"node:fs";r;' });
  await packBundle(lazy.path);
  deepEqual(await Deno.readTextFile(join(lazy.path, "chunk-b.js")), "export var b=1;");
});

async function madeDirectory(files: Record<string, string>): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir({ prefix: "vise-pack-" });
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
