/** Any arguments to any tool, in a workspace of odd files: a result or a failure that says how to go on, never a fault inside Vise. */

import { ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const PATHS = [
  ...[
    "a.txt",
    "sub",
    "sub/b.txt",
    ".",
    "",
    "./a.txt",
    "empty",
    "bin",
    "latin",
    "é ü.txt",
    "n\nl",
    "-dash",
    "long",
    "ln",
  ],
  ...[
    "out",
    "out/passwd",
    "dangling",
    "loop",
    "loop/loop/a.txt",
    "pipe",
    "gone",
    "a.txt/x",
    "../x",
    "/etc/passwd",
    ".git",
  ],
  ...[".git/config", "ignored", " ", "*", "[", "\0", "😀", "x".repeat(300), "a\\b", ":(top)a.txt", ":!a.txt", "--help"],
];
const TEXTS = [
  ...["HEAD", "HEAD~1", "one", "^", "(", "a|b", "\\", "x{1,1000}", "(a*)*b", "\\p{L}", "true", "echo hi", "cat a.txt"],
  ...["printf '\\377'", "exit 3", "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch", "\n", "a\rb"],
];
const NUMBERS = [0, 1, 2, 5, -1, 79, 80, 1_000, 1_024, 65_536, 2 ** 31, 2 ** 53 - 1, 1.5];
const STRAYS = [null, true, "x", 1, [], {}, [1], { a: 1 }];

/** Mostly values that the schema allows, and now and then anything else. */
function valueOf(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 24, arbitrary: fitting(schema, name) }, {
    weight: 1,
    arbitrary: fc.constantFrom(...STRAYS),
  });
}

function fitting(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "integer") {
    return fc.constantFrom(...NUMBERS, schema.minimum ?? 0, schema.maximum ?? 7, (schema.maximum ?? 7) + 1);
  }
  if (schema.type === "array") return fc.array(valueOf(schema.items ?? {}, name), { maxLength: 3 });
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(([key, inner]) => [key, valueOf(inner, key)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...schema.required ?? []] });
  }
  if (schema.type === "object") return fc.dictionary(fc.constantFrom("A", "cmd", "x=y", ""), fc.constantFrom(...TEXTS));
  return fc.constantFrom(...PATHS, ...(/path|dest|workdir|cwd/.test(name) ? [] : TEXTS));
}

function makeOddFiles(ws: TempWorkspace): void {
  ws.write("a.txt", "one\ntwo\nthree\n");
  ws.write("sub/b.txt", "x\r\ny");
  for (const [name, content] of [["empty", ""], ["é ü.txt", "ünï\n"], ["n\nl", "x"], ["-dash", "d\n"]] as const) {
    ws.write(name, content);
  }
  ws.write("long", "l".repeat(100_000));
  ws.write("bin", new Uint8Array([0, 255, 1]));
  ws.write("latin", new Uint8Array([0xe9, 65]));
  ws.write(".gitignore", "ign*\n");
  ws.write("ignored", "x");
  ws.sh(`ln -s a.txt ln; ln -s /etc out; ln -s nowhere dangling; ln -s . loop; mkfifo pipe; git init -q .
    git add a.txt sub; git -c user.name=a -c user.email=a@b commit -qm one; echo more >> a.txt`);
}

Deno.test("no arguments to any tool make a fault inside Vise or a value beyond its bound, and suggested calls work", async () => {
  using ws = new TempWorkspace();
  makeOddFiles(ws);
  await using vise = new ViseProcess(ws.root, { flags: ["--permission-mode", "trusted"] });
  const tools: { name: string; inputSchema: JsonSchema }[] = (await vise.request("tools/list")).result.tools;
  const calls = tools.map(({ name, inputSchema }) =>
    fitting(inputSchema, name).map((args) => [name, args as Record<string, unknown>] as const)
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(...calls), async ([name, given]) => {
      const args = name === "exec_command" ? { ...given, yield_time_ms: 200, timeout_ms: 1_000 } : given;
      // The schemas of results, the bound of the text and the next step of failures are checked by the call itself.
      const { structuredContent: value } = await vise.call(name, args);
      ok(value.error?.code !== "INTERNAL_ERROR", JSON.stringify(value.error));
      const isWide = Object.keys(args).some((key) => /max|limit|preview/.test(key));
      ok(isWide || new TextEncoder().encode(JSON.stringify(value)).length <= 65_536, `${name} ${JSON.stringify(args)}`);
      const next = value.ok ? value.next_action : undefined;
      if (typeof next !== "object" || next.tool === "exec_command") return;
      const followed = await vise.call(next.tool, next.arguments);
      strictEqual(followed.isError, false, `${JSON.stringify(next)}: ${ViseProcess.text(followed)}`);
    }),
    { numRuns: 500 },
  );
  strictEqual(vise.stderr.includes("internal error"), false, vise.stderr);
});
