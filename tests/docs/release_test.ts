/** The release workflow: readable, complete, and its steps that need no GitHub are run. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { describeExecutables } from "../../build/checksums.ts";
import { versionFault } from "../../build/check_version.ts";
import { TARGETS } from "../../build/compile.ts";
import { notices, packagedPackages } from "../../build/notices.ts";
import { PRODUCT } from "../../src/base/product.ts";
import { REPOSITORY } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, unknown>;
}

const read = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");
const workflow = parse(read(".github/workflows/release.yml"));
const steps: Step[] = workflow.jobs.build.steps;
const script = steps.map(({ run }) => run ?? "").join("\n");

Deno.test("every workflow is readable YAML whose actions have a version", () => {
  for (const name of ["ci.yml", "release.yml"]) {
    const { jobs } = parse(read(`.github/workflows/${name}`), { uniqueKeys: true });
    for (const job of Object.values(jobs) as { steps: Step[] }[]) {
      for (const { uses } of job.steps) if (uses !== undefined) match(uses, /^[\w-]+\/[\w-]+@v\d+$/);
    }
  }
});

Deno.test("a release is made for tags, builds the five targets and signs where they came from", () => {
  deepStrictEqual(workflow.on.push.tags, ["v*"]);
  for (const target of TARGETS) ok(script.includes(target), target);
  const attest = steps.find(({ uses }) => uses?.startsWith("actions/attest-build-provenance@"));
  strictEqual(attest?.with?.["subject-checksums"], "dist/SHA256SUMS");
  deepStrictEqual(workflow.jobs.build.permissions, { contents: "write", "id-token": "write", attestations: "write" });
  deepStrictEqual(workflow.permissions, { contents: "read" });
});

Deno.test("every script and file that a step names is there, and every step is valid shell", () => {
  for (const [, path] of script.matchAll(/(?:deno run -A|bash) ([\w./-]+\.ts|\.ci\/run)/g)) {
    ok(existsSync(join(REPOSITORY, path as string)), path);
  }
  for (const { run } of steps) {
    if (run === undefined || Deno.build.os === "windows") continue;
    const checked = spawnSync("bash", ["-n"], { input: run, encoding: "utf8" });
    strictEqual(checked.status, 0, checked.stderr);
  }
});

Deno.test("the version step accepts the tag of this version and refuses every other", () => {
  const { version } = JSON.parse(read("deno.json"));
  strictEqual(versionFault(version, `v${PRODUCT.version}`), null);
  strictEqual(versionFault(version, undefined), null);
  match(versionFault(version, "v9.9.9") as string, /the tag is v9\.9\.9/);
  match(versionFault("9.9.9", undefined) as string, /deno\.json says/);
  const ended = spawnSync(Deno.execPath(), ["run", "-A", "build/check_version.ts", "v9.9.9"], { cwd: REPOSITORY });
  strictEqual(ended.status, 1);
});

Deno.test("the sums are those of the files, only of executables, in the form that sha256sum checks", async () => {
  using ws = new TempWorkspace();
  ws.write("vise-a", "one");
  ws.write("vise-b.exe", new Uint8Array(3_000_000));
  ws.write("LICENSE", "no");
  const { sums, sizes } = await describeExecutables(ws.root);
  const sum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  strictEqual(sums, `${sum(ws.bytes("vise-a"))}  vise-a\n${sum(ws.bytes("vise-b.exe"))}  vise-b.exe\n`);
  match(sizes, /\| vise-b\.exe \| 3\.0 \| 0\.0 \|/);
  const ended = spawnSync(Deno.execPath(), ["run", "-A", "build/checksums.ts", ws.root], {
    cwd: REPOSITORY,
    encoding: "utf8",
  });
  strictEqual(ended.status, 0, ended.stderr);
  strictEqual(ws.read("SHA256SUMS"), sums);
  if (Deno.build.os === "linux") ws.sh("sha256sum --check SHA256SUMS");
});

Deno.test("the notices name every package of the executable with its licence, and none that only types or tests use", async () => {
  const packages = await packagedPackages();
  const names = packages.map(({ name }) => name);
  for (const name of ["zod", "unbash", "jose", "yaml", "jsonc-parser", "smol-toml"]) ok(names.includes(name), name);
  for (const name of names) ok(!/modelcontextprotocol|fast-check|gpt-tokenizer|ajv/.test(name), name);
  const lock = JSON.parse(read("deno.lock")) as { npm: Record<string, unknown> };
  for (const { name, version } of packages) {
    ok(
      Object.keys(lock.npm).some((key) => key === `${name}@${version}` || key.startsWith(`${name}@${version}_`)),
      name,
    );
  }
  const text = await notices();
  strictEqual(read("THIRD_PARTY_NOTICES"), text);
  for (const { name, version } of packages) ok(text.includes(`\n${name} ${version}\n`), name);
});
