/** Registration and login, and the attacks on them that the specifications warn of. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { SignJWT } from "jose";
import { TempWorkspace } from "../support/temp_workspace.ts";
import {
  authorizeParams,
  codeFor,
  exchange,
  FORM,
  login,
  PASSWORD,
  PING,
  pkce,
  REDIRECT,
  register,
  SECRET,
  start,
} from "./oauth_client.ts";

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
