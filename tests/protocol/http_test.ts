/** Streamable HTTP: the table of paths, the order of refusals, and what a web page or another host may not do. */

import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "node:net";
import { type HttpAnswer, HttpVise, stateless } from "../support/http_vise.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

function outcome({ status, body }: HttpAnswer): unknown[] {
  return [status, body?.error?.code ?? null];
}

Deno.test("a message over HTTP is answered, refused or accepted with the status of its kind", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  const big = JSON.stringify({ ...PING, params: { pad: "x".repeat(1_100_000) } });
  const listing = stateless("tools/list");
  const other = {
    ...listing.params,
    _meta: { ...listing.params["_meta"] as object, "io.modelcontextprotocol/protocolVersion": "2030-01-01" },
  };
  const table: [string, unknown, Record<string, string>, unknown[]][] = [
    ["a request", PING, {}, [200, null]],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, {}, [202, null]],
    ["another media type", PING, { "Content-Type": "text/plain" }, [415, -32600]],
    ["parameters of the media type", PING, { "Content-Type": "application/json; charset=utf-8" }, [200, null]],
    ["no JSON", "{", {}, [400, -32700]],
    ["a batch", [PING], {}, [400, -32600]],
    ["an unknown version", PING, { "MCP-Protocol-Version": "1999-01-01" }, [400, -32600]],
    ["a handshake version", PING, { "MCP-Protocol-Version": "2025-06-18" }, [200, null]],
    ["an unknown method of the handshake era", { ...PING, method: "no/such" }, {}, [200, -32601]],
    ["too large a body", big, {}, [413, -32600]],
    ["a stateless request", { jsonrpc: "2.0", id: 2, method: "tools/list", params: listing.params }, listing.headers, [
      200,
      null,
    ]],
    ["a stateless ping", { ...PING, params: stateless("ping").params }, stateless("ping").headers, [404, -32601]],
    ["a missing mirror header", { jsonrpc: "2.0", id: 2, method: "tools/list", params: listing.params }, {
      ...listing.headers,
      "Mcp-Method": "",
    }, [400, -32020]],
    ["a mirror header of another method", { jsonrpc: "2.0", id: 2, method: "tools/list", params: listing.params }, {
      ...listing.headers,
      "Mcp-Method": "tools/call",
    }, [400, -32020]],
    ["a version nobody serves", { jsonrpc: "2.0", id: 2, method: "tools/list", params: other }, {
      ...listing.headers,
      "MCP-Protocol-Version": "2030-01-01",
    }, [400, -32022]],
    [
      "an envelope without capabilities",
      {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/list",
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
      },
      listing.headers,
      [400, -32602],
    ],
  ];
  for (const [what, message, headers, expected] of table) {
    const answer = await vise.post(message, headers);
    deepStrictEqual(outcome(answer), expected, what);
    strictEqual(answer.headers.get("Cache-Control"), "no-store", what);
  }
});

Deno.test("paths and methods beside the endpoint answer as documented", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  const table: [string, string, number][] = [
    ["GET", "/mcp", 405],
    ["HEAD", "/mcp", 405],
    ["DELETE", "/mcp", 405],
    ["POST", "/mcp/", 415],
    ["OPTIONS", "/mcp", 204],
    ["OPTIONS", "/nowhere", 404],
    ["GET", "/.well-known/mcp.json", 200],
    ["GET", "/.well-known/mcp/server-card.json", 200],
    ["GET", "/healthz", 200],
    ["GET", "/.well-known/oauth-protected-resource", 404],
    ["GET", "/nowhere", 404],
    ["POST", "/nowhere", 404],
  ];
  for (const [method, path, status] of table) {
    const answer = await vise.fetch(path, { method });
    strictEqual(answer.status, status, `${method} ${path}`);
    if (status === 405) strictEqual(answer.headers.get("Allow"), "POST");
  }
  const { body: card } = await vise.fetch("/.well-known/mcp.json");
  deepStrictEqual(card.supportedProtocolVersions, ["2026-07-28", "2025-11-25", "2025-06-18"]);
  deepStrictEqual(card.auth, { type: "none", scheme: null, header: null });
  strictEqual(card.tools.count, card.tools.names.length);
  strictEqual(card.tools.readOnlyHintTrue.length + card.tools.readOnlyHintFalse.length, card.tools.count);
});

Deno.test("a page of another origin is refused, a local one gets CORS headers", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { env: { VISE_ALLOWED_ORIGINS: "https://ok.example" } });
  const refused = [
    "https://evil.example",
    "null",
    "file://",
    "http://localhost.evil.example",
    "http://user@localhost",
    "http://localhost:0",
    "http://localhost/x",
    "https://ok.example.evil",
  ];
  for (const origin of refused) {
    deepStrictEqual(outcome(await vise.post(PING, { Origin: origin })), [403, -32600], origin);
  }
  for (const origin of ["http://localhost:5173", "http://127.0.0.1", "https://[::1]:8443", "https://ok.example"]) {
    const answer = await vise.post(PING, { Origin: origin });
    strictEqual(answer.status, 200, origin);
    strictEqual(answer.headers.get("Access-Control-Allow-Origin"), origin);
    // Older runtimes compress by themselves and add a name of their own.
    match(answer.headers.get("Vary") ?? "", /\bOrigin\b/);
  }
});

Deno.test("a name that points at loopback without being loopback is refused", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  for (const host of ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost@evil.example"]) {
    match(await rawRequest(vise.origin, host), /^HTTP\/1\.1 (403|400) /, host);
  }
  match(await rawRequest(vise.origin, "localhost:1234"), /^HTTP\/1\.1 200 /);
});

Deno.test("a Host that is no host at all is refused like any other, without a fault in the log", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  for (const host of ["localhost:abc", ":80", "[::1", "%", "a b"]) {
    match(await rawRequest(vise.origin, host), /^HTTP\/1\.1 40[03] /, host);
  }
  match(await rawRequest(vise.origin, "localhost", "http://evil.example/healthz"), /^HTTP\/1\.1 403 /);
  match(await rawRequest(vise.origin, "localhost", "http://localhost/healthz?x#y"), /^HTTP\/1\.1 200 /);
  strictEqual(vise.log.some((line) => line.includes("internal error")), false, vise.log.join("\n"));
});

Deno.test("with a bearer token nobody gets in without it", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { env: { VISE_AUTH_TOKEN: "let-me-in-please" } });
  for (
    const authorization of [
      undefined,
      "Bearer wrong",
      "Bearer let-me-in-pleas",
      "Basic bGV0OnBsZWFzZQ==",
      "let-me-in-please",
      "Bearer ",
    ]
  ) {
    const answer = await vise.post(PING, authorization === undefined ? {} : { Authorization: authorization });
    strictEqual(answer.status, 401, String(authorization));
    strictEqual(answer.headers.get("WWW-Authenticate"), 'Bearer realm="vise"');
  }
  strictEqual((await vise.post(PING, { Authorization: "Bearer let-me-in-please" })).status, 200);
  strictEqual((await vise.post(PING, { Authorization: "bearer let-me-in-please" })).status, 200);
  strictEqual((await vise.fetch("/.well-known/mcp.json")).body.auth.type, "bearer");
  ok(!vise.log.join("\n").includes("let-me-in-please"));
});

Deno.test("a generated token is printed once and needed", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { env: { VISE_GENERATE_AUTH_TOKEN: "1" } });
  const token = /generated bearer token: (\S{43})/.exec(vise.log.join("\n"))?.[1];
  ok(token !== undefined);
  strictEqual((await vise.post(PING)).status, 401);
  strictEqual((await vise.post(PING, { Authorization: `Bearer ${token}` })).status, 200);
});

Deno.test("a call that asks for progress over HTTP gets a stream of events that ends with its result", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { flags: ["--permission-mode", "trusted"] });
  const call = {
    jsonrpc: "2.0",
    id: 9,
    method: "tools/call",
    params: {
      name: "exec_command",
      arguments: { cmd: "for i in 1 2 3 4; do echo line $i; sleep 0.4; done" },
      _meta: { progressToken: "p1" },
    },
  };
  const { headers, body } = await vise.post(call, { Accept: "application/json, text/event-stream" });
  strictEqual(headers.get("Content-Type"), "text/event-stream");
  const events = String(body).split("\n\n").filter((event) => event !== "").map((event) =>
    JSON.parse(/^data: (.*)$/m.exec(event)?.[1] as string)
  );
  const progress = events.filter((event) => event.method === "notifications/progress").map((event) => event.params);
  ok(progress.length >= 2, JSON.stringify(events));
  strictEqual(progress.every((params) => params.progressToken === "p1"), true);
  const values = progress.map((params) => params.progress);
  deepStrictEqual(values, [...values].sort((a, b) => a - b));
  strictEqual(events.at(-1).id, 9);
  strictEqual(events.at(-1).result.structuredContent.exit_code, 0);
});

Deno.test("a client that closes its stream has cancelled the command nobody knows of", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { flags: ["--permission-mode", "trusted"] });
  const controller = new AbortController();
  const response = await fetch(vise.origin + "/mcp", {
    method: "POST",
    signal: controller.signal,
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "exec_command",
        arguments: { cmd: "touch started; sleep 3; touch survived", yield_time_ms: 20_000 },
        _meta: { progressToken: 1 },
      },
    }),
  });
  while (!ws.exists("started")) await new Promise((resolve) => setTimeout(resolve, 20));
  controller.abort();
  await response.body?.cancel().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  strictEqual(ws.exists("survived"), false);
});

Deno.test("requests over HTTP run at the same time and mix no answers", async () => {
  using ws = new TempWorkspace();
  for (let i = 0; i < 20; i++) ws.write(`f${i}.txt`, `content ${i}\n`);
  await using vise = await HttpVise.start(ws.root);
  const answers = await Promise.all(Array.from({ length: 200 }, async (_, i) => {
    const message = {
      jsonrpc: "2.0",
      id: i,
      method: "tools/call",
      params: { name: "read_file", arguments: { path: `f${i % 20}.txt` } },
    };
    return await vise.post(message);
  }));
  for (const [i, { status, body }] of answers.entries()) {
    deepStrictEqual([status, body.id, body.result?.structuredContent?.content], [200, i, `content ${i % 20}\n`]);
  }
});

/** The status line for a request with any `Host`; the Fetch API does not let a test choose it. */
function rawRequest(origin: string, host: string, target = "/healthz"): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

Deno.test("a response to a question that nobody asked is accepted and dropped", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  strictEqual((await vise.post({ jsonrpc: "2.0", id: 1, result: {} })).status, 202);
});

Deno.test("a body needs a length that is a number, and one that is too long is refused before it is sent", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root);
  const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n";
  const chunked = await rawExchange(vise.origin, `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
  match(chunked, /^HTTP\/1\.1 411 [\s\S]*Content-Length is required/);
  match(await rawExchange(vise.origin, `${head}Content-Length: 99999999\r\n\r\n`), /^HTTP\/1\.1 413 /);
  match(await rawExchange(vise.origin, `${head}Content-Length: 0\r\n\r\n`), /^HTTP\/1\.1 400 [\s\S]*body is empty/);
});

Deno.test("a cancelled request over HTTP is answered without content", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { flags: ["--permission-mode", "trusted"] });
  // Over HTTP nobody else can name the request, so only the end of its connection cancels it: the next one is served.
  const controller = new AbortController();
  const cut = vise.fetch("/mcp", {
    method: "POST",
    signal: controller.signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "exec_command", arguments: { cmd: "touch started; sleep 60", yield_time_ms: 30_000 } },
    }),
  });
  while (!ws.exists("started")) await new Promise((go) => setTimeout(go, 20));
  controller.abort();
  await rejects(cut);
  strictEqual((await vise.post(PING)).status, 200);
  await until(() => vise.log.some((line) => /"path":"\/mcp","status":202/.test(line)));
});

/** Sends bytes as they are; gives what comes back until the other side closes, or says no more after a whole answer. */
function rawExchange(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
      const [head = "", body] = answer.split("\r\n\r\n");
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
      if (body !== undefined && body.length >= length) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 30_000; !isTrue();) {
    ok(Date.now() < deadline, "it never became true");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
