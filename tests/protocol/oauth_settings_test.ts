/** What an operator sets for OAuth, and what a client is told because of it. */

import { deepStrictEqual, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { HttpVise } from "../support/http_vise.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { authorizeParams, codeFor, exchange, FORM, login, pkce, REDIRECT, register, start } from "./oauth_client.ts";

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
