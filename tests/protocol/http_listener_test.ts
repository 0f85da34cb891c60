/** The listener itself: how it starts, speaks TLS, and ends. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { connect } from "node:net";
import { HttpVise } from "../support/http_vise.ts";
import { serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const openssl = new Deno.Command("sh", { args: ["-c", "command -v openssl"], stdout: "null" }).outputSync().success;

Deno.test("SIGTERM ends the listener after the running answers with code 143", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { flags: ["--permission-mode", "trusted"] });
  const running = vise.post({
    jsonrpc: "2.0",
    id: 5,
    method: "tools/call",
    params: { name: "exec_command", arguments: { cmd: "touch go; sleep 30" } },
  });
  while (!ws.exists("go")) await new Promise((resolve) => setTimeout(resolve, 20));
  vise.kill("SIGTERM");
  strictEqual((await running).body.result.structuredContent.status !== "running", true);
  const { code, signal } = await vise.exited;
  deepStrictEqual([code, signal], [143, null]);
});

Deno.test("requests that never arrive whole do not hold up the end", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  const { hostname, port } = new URL(vise.origin);
  const parts = [
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    "POST /mcp HTTP/1.1\r\nHost: loc",
  ];
  const sockets = Array.from({ length: 60 }, (_, index) => {
    const socket = connect(Number(port), hostname, () => socket.write(parts[index % 2] as string));
    return socket.on("error", () => {});
  });
  while (sockets.some((socket) => socket.bytesWritten === 0)) await new Promise((resolve) => setTimeout(resolve, 20));
  await vise.post(PING);
  const startedAt = performance.now();
  vise.kill("SIGTERM");
  strictEqual((await vise.exited).code, 143);
  // The limit of the process is 5 s; whoever reaches it has been waiting for these requests.
  ok(performance.now() - startedAt < 4_500);
  for (const socket of sockets) socket.destroy();
});

Deno.test("an address that is taken, and a certificate that is not there, end the start with one line and code 2", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  const [program, ...leading] = serverCommand();
  const { port } = new URL(vise.origin);
  const starts: [string[], RegExp][] = [
    [["--http", `127.0.0.1:${port}`], /^ERROR: cannot listen on 127\.0\.0\.1:\d+: [^\n]+\n$/],
    [
      ["--http", "127.0.0.1:0", "--tls-cert", "/no/c.pem", "--tls-key", "/no/k.pem"],
      /^ERROR: cannot read \/no\/c\.pem: [^\n]+\n$/,
    ],
  ];
  for (const [flags, words] of starts) {
    const { code, stderr } = await new Deno.Command(program, {
      args: [...leading, "--workspace", ws.root, ...flags],
      stdin: "null",
    }).output();
    strictEqual(code, 2);
    match(new TextDecoder().decode(stderr), words);
  }
});

Deno.test({
  name: `messages are served over TLS with the given certificate${openssl ? "" : " (needs openssl)"}`,
  ignore: !openssl,
  async fn() {
    using ws = new TempWorkspace();
    ws.sh(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost " +
        "-addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE -keyout ../k.pem -out ../c.pem 2>&1",
    );
    const [cert, key] = [`${ws.parent}/c.pem`, `${ws.parent}/k.pem`];
    await using vise = await HttpVise.start(ws.root, { flags: ["--tls-cert", cert, "--tls-key", key] });
    ok(vise.origin.startsWith("https://127.0.0.1:"));
    // This one speaks HTTP/2, which has no Host header.
    using client = Deno.createHttpClient({ caCerts: [Deno.readTextFileSync(cert)] });
    const request = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(PING),
      client,
    };
    const { status, body } = await vise.fetch("/mcp", request as RequestInit);
    deepStrictEqual([status, body], [200, { jsonrpc: "2.0", id: 1, result: {} }]);
    using older = Deno.createHttpClient({ caCerts: [Deno.readTextFileSync(cert)], http2: false });
    strictEqual((await vise.fetch("/mcp", { ...request, client: older } as RequestInit)).status, 200);
  },
});
