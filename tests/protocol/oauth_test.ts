/** Registration and login, and the attacks on them that the specifications warn of. */

import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { SignJWT } from "jose";
import { HttpVise } from "../support/http_vise.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const PASSWORD = "correct horse";
const SECRET = "00".repeat(16) + "ff".repeat(16);
const REDIRECT = "http://127.0.0.1:9999/callback";
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

async function start(ws: TempWorkspace, env: Record<string, string> = {}): Promise<HttpVise> {
  return await HttpVise.start(ws.root, {
    flags: ["--oauth-mode"],
    env: { VISE_OAUTH_PASSWORD: PASSWORD, VISE_OAUTH_TOKEN_SECRET: SECRET, ...env },
  });
}

async function register(
  vise: HttpVise,
  more: Record<string, unknown> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  return await vise.fetch("/oauth/register", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: "Test", ...more }),
  });
}

function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

function authorizeParams(vise: HttpVise, clientId: unknown, challenge: string): Record<string, string> {
  return {
    response_type: "code",
    client_id: String(clientId),
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: vise.origin,
    state: "s t/a&te",
  };
}

async function login(vise: HttpVise, params: Record<string, string>, password = PASSWORD): Promise<Response> {
  return await fetch(vise.origin + "/oauth/authorize", {
    method: "POST",
    redirect: "manual",
    headers: FORM,
    body: new URLSearchParams({ ...params, password }),
  });
}

async function codeFor(vise: HttpVise, clientId: unknown, challenge: string): Promise<string> {
  const response = await login(vise, authorizeParams(vise, clientId, challenge));
  await response.body?.cancel();
  strictEqual(response.status, 302);
  const target = new URL(response.headers.get("Location") as string);
  strictEqual(target.origin + target.pathname, REDIRECT);
  strictEqual(target.searchParams.get("state"), "s t/a&te");
  return target.searchParams.get("code") as string;
}

async function exchange(
  vise: HttpVise,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, string> }> {
  return await vise.fetch("/oauth/token", {
    method: "POST",
    headers: { ...FORM, ...headers },
    body: new URLSearchParams({ grant_type: "authorization_code", redirect_uri: REDIRECT, ...fields }),
  });
}

Deno.test("a client registers, a person logs it in, and its token opens the endpoint", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const refused = await vise.post(PING);
  strictEqual(refused.status, 401);
  match(
    refused.headers.get("WWW-Authenticate") ?? "",
    /resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource"/,
  );
  const { body: resource } = await vise.fetch("/.well-known/oauth-protected-resource");
  deepStrictEqual(resource, {
    resource: vise.origin,
    authorization_servers: [vise.origin],
    bearer_methods_supported: ["header"],
  });
  const { body: server } = await vise.fetch("/.well-known/oauth-authorization-server");
  deepStrictEqual([server.issuer, server.code_challenge_methods_supported], [vise.origin, ["S256"]]);
  const client = (await register(vise)).body;
  strictEqual(client["client_secret"], undefined);
  const { verifier, challenge } = pkce();
  const page = await vise.fetch(
    "/oauth/authorize?" + new URLSearchParams(authorizeParams(vise, client["client_id"], challenge)),
  );
  strictEqual(page.status, 200);
  match(String(page.body), /type="password"/);
  const code = await codeFor(vise, client["client_id"], challenge);
  const { status, body } = await exchange(vise, {
    code,
    client_id: String(client["client_id"]),
    code_verifier: verifier,
  });
  deepStrictEqual([status, body["token_type"]], [200, "Bearer"]);
  strictEqual((await vise.post(PING, { Authorization: `Bearer ${body["access_token"]}` })).status, 200);
});

Deno.test("a code is taken once, also when the first try failed", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const id = String((await register(vise)).body["client_id"]);
  const { verifier, challenge } = pkce();
  const code = await codeFor(vise, id, challenge);
  deepStrictEqual((await exchange(vise, { code, client_id: id, code_verifier: pkce().verifier })).body, {
    error: "invalid_grant",
  });
  deepStrictEqual((await exchange(vise, { code, client_id: id, code_verifier: verifier })).body, {
    error: "invalid_grant",
  });
  const again = await codeFor(vise, id, challenge);
  strictEqual((await exchange(vise, { code: again, client_id: id, code_verifier: verifier })).status, 200);
  strictEqual((await exchange(vise, { code: again, client_id: id, code_verifier: verifier })).status, 400);
});

Deno.test("a code is bound to its client, its redirect, its resource and its verifier", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const id = String((await register(vise)).body["client_id"]);
  const other = String((await register(vise)).body["client_id"]);
  const { verifier, challenge } = pkce();
  const tries: [Record<string, string>, string][] = [
    [{ client_id: other, code_verifier: verifier }, "invalid_grant"],
    [{ client_id: id, code_verifier: verifier, redirect_uri: REDIRECT + "/x" }, "invalid_grant"],
    [{ client_id: id, code_verifier: verifier, resource: "https://other.example" }, "invalid_target"],
    [{ client_id: id, code_verifier: "short" }, "invalid_grant"],
    [{ client_id: id, code_verifier: challenge }, "invalid_grant"],
    [{ client_id: id, code_verifier: verifier, grant_type: "client_credentials" }, "unsupported_grant_type"],
    [{ client_id: "nobody", code_verifier: verifier }, "invalid_client"],
    [{ client_id: id, code_verifier: verifier, client_secret: "x" }, "invalid_client"],
  ];
  for (const [fields, error] of tries) {
    const code = await codeFor(vise, id, challenge);
    strictEqual((await exchange(vise, { code, ...fields })).body["error"], error, JSON.stringify(fields));
  }
});

Deno.test("a redirect that was not registered letter by letter is never followed", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const id = String((await register(vise)).body["client_id"]);
  const params = authorizeParams(vise, id, pkce().challenge);
  const tricks = [
    "http://127.0.0.1:9999/callback/",
    "http://127.0.0.1:9999/callback?x=1",
    "http://127.0.0.1:9999/callback#f",
    "http://127.0.0.1:9999/callback/../evil",
    "http://127.0.0.1:9999@evil.example/callback",
    "https://evil.example/callback",
    "HTTP://127.0.0.1:9999/callback",
    "//127.0.0.1:9999/callback",
    "javascript:alert(1)",
  ];
  for (const redirect_uri of tricks) {
    const response = await login(vise, { ...params, redirect_uri });
    strictEqual(response.status, 400, redirect_uri);
    strictEqual(response.headers.get("Location"), null);
    await response.body?.cancel();
  }
  const doubled = new URLSearchParams({ ...params, password: PASSWORD });
  doubled.append("redirect_uri", "https://evil.example/callback");
  strictEqual((await vise.fetch("/oauth/authorize", { method: "POST", headers: FORM, body: doubled })).status, 400);
});

Deno.test("registration takes only redirects that cannot lead astray", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const refused = [
    [],
    "x",
    ["http://evil.example/cb"],
    ["https://u:p@ok.example/"],
    ["https://ok.example/#f"],
    ["custom:cb"],
    ["/relative"],
    [REDIRECT, REDIRECT],
    ["https://ok.example/\r\nX: y"],
    ["https://ok.example/" + "x".repeat(2_100)],
    Array.from({ length: 11 }, (_, i) => `https://ok.example/${i}`),
  ];
  for (const redirect_uris of refused) {
    const { status, body } = await register(vise, { redirect_uris });
    deepStrictEqual([status, body["error"]], [400, "invalid_redirect_uri"], JSON.stringify(redirect_uris).slice(0, 60));
  }
  strictEqual((await register(vise, { grant_types: ["client_credentials"] })).status, 400);
  deepStrictEqual(
    (await register(vise, { grant_types: ["authorization_code", "refresh_token"] })).body["grant_types"],
    ["authorization_code"],
  );
  strictEqual((await register(vise, { client_name: "x".repeat(9_000) })).status, 413);
  const secret = (await register(vise, { token_endpoint_auth_method: "client_secret_basic" })).body;
  strictEqual(typeof secret["client_secret"], "string");
});

Deno.test("a confidential client must use the method it registered", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const client = (await register(vise, { token_endpoint_auth_method: "client_secret_basic" })).body;
  const id = String(client["client_id"]);
  const secret = String(client["client_secret"]);
  const { verifier, challenge } = pkce();
  const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` });
  const code = async () => await codeFor(vise, id, challenge);
  strictEqual(
    (await exchange(vise, { code: await code(), client_id: id, client_secret: secret, code_verifier: verifier }))
      .status,
    401,
  );
  strictEqual((await exchange(vise, { code: await code(), client_id: id, code_verifier: verifier })).status, 401);
  strictEqual(
    (await exchange(vise, { code: await code(), code_verifier: verifier }, basic(`${id}:wrong`))).status,
    401,
  );
  strictEqual(
    (await exchange(vise, { code: await code(), code_verifier: verifier }, basic(`${id}:${secret}`))).status,
    200,
  );
});

Deno.test("a wrong password, a foreign token and an old token open nothing", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const id = String((await register(vise)).body["client_id"]);
  const denied = await login(vise, authorizeParams(vise, id, pkce().challenge), "wrong");
  strictEqual(denied.status, 401);
  match(await denied.text(), /Wrong password/);
  const sign = async (
    claims: { iss?: string; aud?: string; exp?: number; sub?: string },
    key = Uint8Array.fromHex(SECRET),
    alg = "HS256",
  ) =>
    await new SignJWT({ scope: "mcp" }).setProtectedHeader({ alg }).setIssuer(claims.iss ?? vise.origin).setAudience(
      claims.aud ?? vise.origin,
    )
      .setSubject(claims.sub ?? id).setExpirationTime(claims.exp ?? Math.floor(Date.now() / 1000) + 600).sign(key);
  const none = `${btoa('{"alg":"none"}').replaceAll("=", "")}.${
    btoa(JSON.stringify({ iss: vise.origin, aud: vise.origin, sub: id, exp: 9e9 })).replaceAll("=", "")
  }.`;
  const forged = [
    none,
    await sign({}, new Uint8Array(32)),
    await sign({ iss: "https://evil.example" }),
    await sign({ aud: "https://evil.example" }),
    await sign({ exp: 1 }),
    await sign({ sub: "nobody" }),
    await sign({}, new Uint8Array([...Uint8Array.fromHex(SECRET), ...Uint8Array.fromHex(SECRET)]), "HS512"),
    "x.y.z",
  ];
  for (const token of forged) {
    strictEqual((await vise.post(PING, { Authorization: `Bearer ${token}` })).status, 401, token.slice(0, 40));
  }
  strictEqual((await vise.post(PING, { Authorization: `Bearer ${await sign({})}` })).status, 200);
});

Deno.test("what a stranger writes into the login page stays text", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const client_name = `<script>alert(1)</script>"'><img src=x>`;
  const id = String((await register(vise, { client_name })).body["client_id"]);
  const params = { ...authorizeParams(vise, id, pkce().challenge), state: '"><script>x</script>' };
  const page = await vise.fetch("/oauth/authorize?" + new URLSearchParams(params));
  ok(!String(page.body).includes("<script>"));
  match(page.headers.get("Content-Security-Policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
  strictEqual(page.headers.get("X-Frame-Options"), "DENY");
});

Deno.test("forwarded headers move the base address only where a proxy is trusted, and never into nonsense", async () => {
  using ws = new TempWorkspace();
  await using plain = await start(ws);
  const headers = { "X-Forwarded-Host": "public.example", "X-Forwarded-Proto": "https" };
  strictEqual((await plain.fetch("/.well-known/oauth-protected-resource", { headers })).body.resource, plain.origin);
  await using proxied = await start(ws, { VISE_TRUST_PROXY_HEADERS: "1" });
  strictEqual(
    (await proxied.fetch("/.well-known/oauth-protected-resource", { headers })).body.resource,
    "https://public.example",
  );
  for (const host of ["evil.example/path", "a b", "user@evil.example", "x:99999", "x?y", "x#y", "x\\y"]) {
    const { body } = await proxied.fetch("/.well-known/oauth-protected-resource", {
      headers: { "X-Forwarded-Host": host },
    });
    notStrictEqual(new URL(body.resource).host, host);
    strictEqual(new URL(body.resource).hostname, "127.0.0.1", host);
  }
});

Deno.test("a client that the operator configured logs in with its secret and its redirects, and needs no registration", async () => {
  using ws = new TempWorkspace();
  const secret = "s e:c%ret";
  await using vise = await start(ws, {
    VISE_OAUTH_CLIENT_ID: "known",
    VISE_OAUTH_CLIENT_SECRET: secret,
    VISE_OAUTH_REDIRECT_URIS: REDIRECT,
  });
  const { verifier, challenge } = pkce();
  const fields = { client_id: "known", code_verifier: verifier };
  const taken = async (more: Record<string, string>, headers: Record<string, string> = {}) =>
    (await exchange(vise, { code: await codeFor(vise, "known", challenge), ...fields, ...more }, headers)).status;
  strictEqual(await taken({}), 401);
  strictEqual(await taken({ client_secret: "wrong" }), 401);
  const basic = { Authorization: `Basic ${btoa(`known:${encodeURIComponent(secret)}`)}` };
  strictEqual(await taken({}, basic), 401, "it registered for client_secret_post");
  strictEqual(await taken({ client_secret: secret }), 200);
});

Deno.test("a configured client without secret and redirects is public and answered on loopback", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws, { VISE_OAUTH_CLIENT_ID: "known" });
  const { verifier, challenge } = pkce();
  const redirect_uri = "http://127.0.0.1:3334/oauth/callback";
  const response = await login(vise, { ...authorizeParams(vise, "known", challenge), redirect_uri });
  await response.body?.cancel();
  const code = new URL(response.headers.get("Location") as string).searchParams.get("code") as string;
  strictEqual((await exchange(vise, { code, client_id: "known", code_verifier: verifier, redirect_uri })).status, 200);
});

Deno.test("without a configured password one is generated and printed once, and the card says how to log in", async () => {
  using ws = new TempWorkspace();
  await using vise = await HttpVise.start(ws.root, { flags: ["--oauth-mode"] });
  const lines = vise.log.filter((line) => line.includes("generated OAuth password: "));
  strictEqual(lines.length, 1);
  const password = (lines[0] as string).split("generated OAuth password: ")[1] as string;
  const id = (await register(vise)).body["client_id"];
  const { challenge } = pkce();
  const wrong = await login(vise, authorizeParams(vise, id, challenge), `${password}x`);
  await wrong.body?.cancel();
  notStrictEqual(wrong.status, 302);
  const right = await login(vise, authorizeParams(vise, id, challenge), password);
  await right.body?.cancel();
  strictEqual(right.status, 302);
  const { body: card } = await vise.fetch("/.well-known/mcp.json");
  deepStrictEqual([card.auth.type, card.auth.tokenUrl, card.auth.authorizationUrl], [
    "oauth2",
    `${vise.origin}/oauth/token`,
    `${vise.origin}/oauth/authorize`,
  ]);
});

Deno.test("an authorization request is refused on a page that names what is wrong with it", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const id = (await register(vise)).body["client_id"];
  const good = authorizeParams(vise, id, pkce().challenge);
  const faults: [Record<string, string>, RegExp][] = [
    [{ response_type: "token" }, /response_type must be code/],
    [{ client_id: "stranger" }, /client_id is not registered/],
    [{ code_challenge_method: "plain" }, /code_challenge_method must be S256/],
    [{ code_challenge: "short" }, /code_challenge must be 43/],
    [{ resource: "https://other.example" }, /resource must be http/],
  ];
  for (const [wrong, words] of faults) {
    const { status, body, headers } = await vise.fetch(
      `/oauth/authorize?${new URLSearchParams({ ...good, ...wrong })}`,
    );
    deepStrictEqual([status, headers.get("Location")], [400, null], JSON.stringify(wrong));
    match(body, words);
    match(await (await login(vise, { ...good, ...wrong })).text(), words);
  }
  const twice = new URLSearchParams(good);
  twice.append("state", "again");
  match((await vise.fetch(`/oauth/authorize?${twice}`)).body, /state must stand once only/);
});

Deno.test("the OAuth endpoints refuse bodies of another kind, fields that stand twice and what nobody can register", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws);
  const post = (path: string, type: string, body: string) =>
    vise.fetch(path, { method: "POST", headers: { "Content-Type": type }, body });
  for (const body of ["[]", "null", "{", "7"]) {
    const answer = await post("/oauth/register", "application/json", body);
    deepStrictEqual([answer.status, answer.body.error], [400, "invalid_client_metadata"], body);
  }
  const method = await register(vise, { token_endpoint_auth_method: "private_key_jwt" });
  deepStrictEqual([method.status, method.body["error"]], [400, "invalid_client_metadata"]);
  match(String(method.body["error_description"]), /client_secret_basic, client_secret_post, none/);
  strictEqual((await post("/oauth/authorize", "application/json", "{}")).status, 400);
  const token = await post("/oauth/token", "text/plain", "grant_type=authorization_code");
  deepStrictEqual([token.status, token.body.error], [400, "invalid_request"]);
  const twice = await post("/oauth/token", FORM["Content-Type"], "grant_type=authorization_code&code=a&code=b");
  deepStrictEqual([twice.status, twice.body.error], [400, "invalid_request"]);
  strictEqual((await exchange(vise, { code: "x", client_id: "y" }, { Authorization: "Basic JSUl" })).status, 401);
});

Deno.test("a code for one address of the server opens nothing at another", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws, { VISE_TRUST_PROXY_HEADERS: "1" });
  const id = String((await register(vise)).body["client_id"]);
  const { verifier, challenge } = pkce();
  const code = await codeFor(vise, id, challenge);
  const elsewhere = { "X-Forwarded-Host": "other.example" };
  const answer = await exchange(vise, { code, client_id: id, code_verifier: verifier }, elsewhere);
  deepStrictEqual([answer.status, answer.body["error"]], [400, "invalid_target"]);
});

Deno.test("a configured address is the base of everything that a client is told", async () => {
  using ws = new TempWorkspace();
  await using vise = await start(ws, { VISE_SERVER_URL: "https://vise.example/base/" });
  const { body } = await vise.fetch("/.well-known/oauth-authorization-server");
  deepStrictEqual([body.issuer, body.token_endpoint], [
    "https://vise.example/base",
    "https://vise.example/base/oauth/token",
  ]);
});
