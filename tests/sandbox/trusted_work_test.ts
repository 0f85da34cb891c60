/** Trusted mode with the network open: packages install from a registry, here one that the test serves. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const TRUSTED = ["--permission-mode", "trusted"];

async function has(program: string): Promise<boolean> {
  return (await new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).output()).success;
}

async function serve(
  answers: ReadonlyMap<string, { type: string; body: Uint8Array<ArrayBuffer> | string }>,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const answer = answers.get((request.url ?? "").replace(/\?.*/, ""));
    response.statusCode = answer === undefined ? 404 : 200;
    if (answer !== undefined) response.setHeader("content-type", answer.type);
    response.end(answer?.body ?? "not here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

const npm = await has("npm");
if (!npm) console.warn("ignored: installing from a registry needs npm");

Deno.test({
  name: "npm installs a package from a registry and runs its program, with its cache in the private directories",
  ignore: !npm || Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    workspace.sh(
      `mkdir -p pkg/package && printf '{"name":"tiny","version":"1.0.0","bin":{"tiny":"tiny.js"}}' > pkg/package/package.json && ` +
        `printf '#!/usr/bin/env node\\nconsole.log("tiny runs");\\n' > pkg/package/tiny.js && tar czf tiny.tgz -C pkg package && rm -rf pkg`,
    );
    const archive = workspace.bytes("tiny.tgz") as Uint8Array<ArrayBuffer>;
    const answers = new Map<string, { type: string; body: Uint8Array<ArrayBuffer> | string }>();
    const { server, url } = await serve(answers);
    const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
    const version = {
      name: "tiny",
      version: "1.0.0",
      bin: { tiny: "tiny.js" },
      dist: { tarball: `${url}/tiny.tgz`, integrity },
    };
    answers.set("/tiny", {
      type: "application/json",
      body: JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
    });
    answers.set("/tiny.tgz", { type: "application/octet-stream", body: archive });
    try {
      workspace.write("package.json", '{"name":"x","version":"1.0.0","private":true}');
      await using vise = new ViseProcess(workspace.root, { flags: TRUSTED, home: Deno.env.get("HOME") ?? "/" });
      const value = await vise.value("exec_command", {
        cmd: `npm install --no-audit --no-fund --registry ${url} tiny 2>&1 && ./node_modules/.bin/tiny`,
        yield_time_ms: 30_000,
        timeout_ms: 120_000,
      });
      assert.match(value.stdout, /tiny runs/, JSON.stringify(value));
      assert.equal(value.sandbox.filesystem, "confined");
      assert.equal(value.sandbox.network, "open");
    } finally {
      await close(server);
    }
  },
});

Deno.test({
  name: "a refused path or address is explained in the result with the right and the flag that grants it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    workspace.write("read.sh", `cat ${workspace.parent}/secret\n`);
    Deno.writeTextFileSync(`${workspace.parent}/secret`, "x");
    workspace.write("connect.sh", "bash -c 'echo > /dev/tcp/127.0.0.1/9'\n");
    await using vise = new ViseProcess(workspace.root);
    const read = await vise.value("exec_command", { cmd: "sh read.sh", yield_time_ms: 20_000 });
    const [path] = read.diagnostics;
    assert.equal(path.code, "LANDLOCK_READ_ROOT_BLOCKED", JSON.stringify(read));
    assert.ok(path.suggested_fix.includes(`no right to read or execute ${workspace.parent}/secret`));
    const connect = await vise.value("exec_command", { cmd: "sh connect.sh", yield_time_ms: 20_000 });
    const [address] = connect.diagnostics;
    assert.equal(address?.code, "NETWORK_PERMISSION_REQUIRED", JSON.stringify(connect));
    assert.match(address.suggested_server_flag, /^--network/);
  },
});

Deno.test({
  name: "a root named in VISE_EXEC_ALLOW_ROOTS can be read and executed, and not written",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    const root = `${workspace.parent}/tools`;
    Deno.mkdirSync(root);
    Deno.writeTextFileSync(`${root}/tool`, "#!/bin/sh\necho tool runs\n", { mode: 0o755 });
    workspace.write(
      "try.sh",
      `${root}/tool; echo x > ${root}/new || echo refused; chmod 700 ${root}/tool || echo kept\n`,
    );
    await using vise = new ViseProcess(workspace.root, { env: { VISE_EXEC_ALLOW_ROOTS: root } });
    const value = await vise.value("exec_command", { cmd: "sh try.sh", yield_time_ms: 20_000 });
    assert.match(value.stdout, /^tool runs\nrefused\n/, JSON.stringify(value));
    assert.deepEqual([...Deno.readDirSync(root)].map((entry) => entry.name), ["tool"]);
  },
});

Deno.test({
  name: "a root named in VISE_EXEC_ALLOW_ROOTS that lies in the workspace opens nothing when a command replaces it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    const secret = `${workspace.parent}/secret`;
    Deno.mkdirSync(secret);
    Deno.writeTextFileSync(`${secret}/key`, "private key\n");
    workspace.write("tools/tool", "");
    workspace.write("swap.sh", `mv tools old; ln -s ${secret} tools\n`);
    workspace.write("read.sh", `cat tools/key || cat ${secret}/key || echo refused\n`);
    const env = { VISE_EXEC_ALLOW_ROOTS: `${workspace.root}/tools` };
    for (const script of ["swap.sh", "read.sh"]) {
      await using vise = new ViseProcess(workspace.root, { env });
      const value = await vise.value("exec_command", { cmd: `sh ${script}`, yield_time_ms: 20_000 });
      if (script === "read.sh") assert.equal(value.stdout, "refused\n", JSON.stringify(value));
    }
  },
});

Deno.test({
  name: "a shell that the operator names is executable wherever it lies",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    const shell = `${workspace.parent}/own-shell`;
    Deno.copyFileSync("/bin/sh", shell);
    Deno.chmodSync(shell, 0o755);
    await using vise = new ViseProcess(workspace.root, { flags: ["--shell", shell] });
    const value = await vise.value("exec_command", { cmd: "echo $0", yield_time_ms: 20_000 });
    assert.equal(value.stdout, `${shell}\n`, JSON.stringify(value));
    assert.equal(value.sandbox.filesystem, "confined");
  },
});
