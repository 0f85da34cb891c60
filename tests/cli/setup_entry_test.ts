/** Entries of clients in files as people have them: comments, other servers, trailing commas, CRLF, broken or missing files. */

import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { ALL_CLIENTS } from "../../src/cli/setup/all_clients.ts";
import { BACKUP_ENDING, entryText, undoEntry, writeEntry } from "../../src/cli/setup/change_entry.ts";
import type { Client } from "../../src/cli/setup/client.ts";
import { JSON_TEXT } from "../../src/cli/setup/json_text.ts";
import { TOML_TEXT } from "../../src/cli/setup/toml_text.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { client, LAUNCH, modeOf, OTHER_LAUNCH, POSIX, SAMPLES } from "./setup_samples.ts";

const textOf = ({ format }: Client) => format === "toml" ? TOML_TEXT : JSON_TEXT;

for (const { of, what, text } of SAMPLES) {
  Deno.test(`${of}: an entry goes into a file with ${what}, once, and out again without a trace`, () => {
    using ws = new TempWorkspace();
    ws.write("config", text, 0o600);
    const path = ws.path("config");
    const known = client(of);
    strictEqual(writeEntry(known, path, LAUNCH), "written");
    const first = ws.read("config");
    deepStrictEqual(entryIn(known, first), { ...known.entry(LAUNCH) });
    ok(keepsEveryLine(text, first), first);
    strictEqual(/\r\n/.test(text), /\r\n/.test(first));
    strictEqual(/[^\r]\n/.test(text.replaceAll("\r\n", "")) || !text.includes("\r\n"), !/\r\n/.test(first));
    strictEqual(ws.read("config" + BACKUP_ENDING), text);
    strictEqual(modeOf(path), POSIX ? 0o600 : 0);
    strictEqual(modeOf(path + BACKUP_ENDING), POSIX ? 0o600 : 0);
    strictEqual(writeEntry(known, path, LAUNCH), "unchanged");
    strictEqual(ws.read("config"), first);
    strictEqual(undoEntry(known, path), "restored");
    strictEqual(ws.read("config"), text);
    ok(!existsSync(path + BACKUP_ENDING));
    strictEqual(undoEntry(known, path), "absent");
  });

  Deno.test(`${of}: other flags change the entry in a file with ${what} and nothing else, and later edits survive undo`, () => {
    using ws = new TempWorkspace();
    ws.write("config", text);
    const path = ws.path("config");
    const known = client(of);
    writeEntry(known, path, LAUNCH);
    strictEqual(writeEntry(known, path, OTHER_LAUNCH), "written");
    deepStrictEqual(entryIn(known, ws.read("config")), { ...known.entry(OTHER_LAUNCH) });
    strictEqual(ws.read("config" + BACKUP_ENDING), text, "the backup is from before the first change");
    const added = textOf(known).put(ws.read("config"), [...known.container, "later"], { command: "l", args: [] });
    ws.write("config", added);
    strictEqual(undoEntry(known, path), "removed");
    const left = ws.read("config");
    strictEqual(entryIn(known, left), undefined);
    const servers = containerIn(known, left) as Record<string, unknown>;
    deepStrictEqual(plain(servers["later"]), { command: "l", args: [] });
    for (const name of Object.keys(containerIn(known, text) ?? {})) ok(name in servers);
    ok(keepsEveryLine(text, left), left);
  });
}

for (const known of ALL_CLIENTS) {
  Deno.test(`${known.name}: a missing file is made and removed by undo`, () => {
    using ws = new TempWorkspace();
    const path = ws.path("deep/er/config");
    strictEqual(writeEntry(known, path, LAUNCH), "written");
    strictEqual(readFileSync(path, "utf8"), entryText(known, LAUNCH));
    ok(!existsSync(path + BACKUP_ENDING));
    strictEqual(undoEntry(known, path), "deleted");
    ok(!existsSync(path));
  });

  Deno.test(`${known.name}: a broken file is refused with its line and left as it is`, () => {
    using ws = new TempWorkspace();
    const broken = known.format === "toml" ? 'a = 1\nb = "open\n' : '{\n  "a": 1\n  "b" 2\n}\n';
    ws.write("config", broken);
    throws(() => writeEntry(known, ws.path("config"), LAUNCH), /cannot edit .*not valid (?:JSON|TOML).*left as it is/s);
    throws(() => undoEntry(known, ws.path("config")), /cannot edit/);
    strictEqual(ws.read("config"), broken);
    ok(!existsSync(ws.path("config" + BACKUP_ENDING)));
  });

  Deno.test(`${known.name}: what the user set on the entry stays when it is written again`, () => {
    using ws = new TempWorkspace();
    writeEntry(known, ws.path("config"), LAUNCH);
    const path = [...known.container, "vise"];
    ws.write("config", textOf(known).put(ws.read("config"), path, { note: "mine" }));
    strictEqual(writeEntry(known, ws.path("config"), OTHER_LAUNCH), "written");
    deepStrictEqual(entryIn(known, ws.read("config")), { ...known.entry(OTHER_LAUNCH), note: "mine" });
  });

  Deno.test(`${known.name}: files of each scope are absolute and differ`, () => {
    const place = {
      os: "linux",
      home: "/home/me",
      project: "/p",
      appData: "",
      configHome: "/home/me/.config",
      environment: {},
    } as const;
    const files = Object.entries(known.files).map(([scope, file]) => {
      const path = file(place);
      match(path, scope === "project" ? /^\/p\// : /^\/home\/me\//);
      return path;
    });
    strictEqual(new Set(files).size, files.length);
    for (const os of ["darwin", "windows"] as const) {
      for (const file of Object.values(known.files)) ok(file({ ...place, os, appData: "C:\\A" }).length > 0);
    }
  });
}

Deno.test("an entry that another had made under the same name comes back by undo", () => {
  using ws = new TempWorkspace();
  const text = '{\n  "mcpServers": { "vise": { "command": "mine", "args": ["a"] } }\n}\n';
  ws.write("config", text);
  writeEntry(client("cursor"), ws.path("config"), LAUNCH);
  strictEqual(ws.read("config" + BACKUP_ENDING), text);
  strictEqual(undoEntry(client("cursor"), ws.path("config")), "restored");
  strictEqual(ws.read("config"), text);
});

Deno.test("a table of Codex keeps its other keys, its tables below and its comments", () => {
  using ws = new TempWorkspace();
  const text = `[mcp_servers."vise"] # ours
# how it starts
command = "/old/vise" # here
startup_timeout_sec = 20
args = [
  "serve", # always
  "--workspace", "]",
]

[mcp_servers.vise.tools.read_file]
approval_mode = "approve"
`;
  ws.write("config", text);
  writeEntry(client("codex"), ws.path("config"), LAUNCH);
  const after = ws.read("config");
  strictEqual(
    after,
    text.replace('"/old/vise"', '"/opt/vise"').replace(
      /\[\n {2}"serve".*\n.*\n\]/,
      () => JSON.stringify(LAUNCH.args).replaceAll(",", ", "),
    ),
  );
  strictEqual(undoEntry(client("codex"), ws.path("config")), "restored");
  strictEqual(ws.read("config"), text);
});

Deno.test("whatever JSON stands in a file, an entry changes nothing else and goes out again", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.json().map((text) => JSON.parse(text))),
      fc.boolean(),
      (settings, wide) => {
        const text = JSON.stringify(settings, null, wide ? 3 : 0);
        const path = ["mcpServers", "vise"];
        if (Object.hasOwn(settings, "mcpServers")) return;
        const put = JSON_TEXT.put(text, path, { command: "a", args: ["b"] });
        deepStrictEqual(
          plain(JSON_TEXT.parse(put)),
          plain({ ...settings, mcpServers: { vise: { command: "a", args: ["b"] } } }),
        );
        deepStrictEqual(plain(JSON_TEXT.parse(JSON_TEXT.remove(put, ["mcpServers"]))), plain(settings));
      },
    ),
    { numRuns: 200 },
  );
});

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function containerIn(known: Client, text: string): unknown {
  let value = textOf(known).parse(text);
  for (const key of known.container) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
}

function entryIn(known: Client, text: string): unknown {
  const entry = (containerIn(known, text) as Record<string, unknown> | undefined)?.["vise"];
  return entry === undefined ? undefined : plain(entry);
}

/** Every line of `before` that is more than brackets is in `after`, in order; a comma may have been added. */
function keepsEveryLine(before: string, after: string): boolean {
  let at = 0;
  const lines = after.split(/\r?\n/);
  for (const line of before.split(/\r?\n/).filter((text) => /\w/.test(text))) {
    const core = line.trim();
    const found = lines.findIndex((candidate, index) =>
      index >= at && comparable(candidate).includes(comparable(core))
    );
    if (found < 0) return line.includes("{") && comparable(after).includes(comparable(core).slice(0, 40));
    at = found;
  }
  return true;
}

function comparable(line: string): string {
  return line.replaceAll(/[\s,}{]/g, "");
}
