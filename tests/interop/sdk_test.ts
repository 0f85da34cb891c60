/** The official SDK clients of both generations drive every tool over both transports. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { LISTING } from "../../src/catalog/listing_data.ts";
import { HttpVise } from "../support/http_vise.ts";
import { serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { callEveryTool, type CallTool, prepareRepository } from "./every_tool.ts";

const NAMES = (JSON.parse(LISTING) as { name: string }[]).map((tool) => tool.name).sort();

function stdioOptions(
  root: string,
): { command: string; args: string[]; stderr: "ignore"; env: Record<string, string> } {
  const [command, ...args] = serverCommand();
  return { command, args: [...args, "serve", "--workspace", root], stderr: "ignore", env: Deno.env.toObject() };
}

Deno.test("the SDK client of generation 1 drives every tool over stdio", async () => {
  using ws = new TempWorkspace();
  prepareRepository(ws);
  await withClient1(new StdioClientTransport(stdioOptions(ws.root)));
});

Deno.test("the SDK client of generation 1 drives every tool over HTTP", async () => {
  using ws = new TempWorkspace();
  prepareRepository(ws);
  await using vise = await HttpVise.start(ws.root);
  // The class declares its session id in a way that exact optional types do not accept; at run time it is a Transport.
  await withClient1(new StreamableHTTPClientTransport(new URL(vise.origin + "/mcp")) as unknown as Transport);
});

async function withClient1(transport: Transport): Promise<void> {
  const client = new Client({ name: "interop", version: "1" });
  await client.connect(transport);
  deepStrictEqual((await client.listTools()).tools.map((tool: { name: string }) => tool.name).sort(), NAMES);
  await client.ping();
  const called = await callEveryTool((name, args) =>
    client.callTool({ name, arguments: args }) as ReturnType<CallTool>
  );
  deepStrictEqual([...new Set(called)].sort(), NAMES);
  await client.close();
}

for (const era of ["legacy", "2026-07-28"] as const) {
  Deno.test(`the SDK client of generation 2 drives every tool over stdio (${era})`, async () => {
    using ws = new TempWorkspace();
    prepareRepository(ws);
    await withClient2(era, new Stdio2(stdioOptions(ws.root)));
  });

  Deno.test(`the SDK client of generation 2 drives every tool over HTTP (${era})`, async () => {
    using ws = new TempWorkspace();
    prepareRepository(ws);
    await using vise = await HttpVise.start(ws.root);
    await withClient2(era, new Http2(new URL(vise.origin + "/mcp")));
  });
}

async function withClient2(era: "legacy" | "2026-07-28", transport: Stdio2 | Http2): Promise<void> {
  const mode = era === "legacy" ? "legacy" as const : { pin: era };
  const client = new Client2({ name: "interop", version: "2" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  strictEqual(client.getServerVersion()?.name, "vise");
  deepStrictEqual((await client.listTools()).tools.map((tool: { name: string }) => tool.name).sort(), NAMES);
  const called = await callEveryTool((name, args) =>
    client.callTool({ name, arguments: args }) as ReturnType<CallTool>
  );
  deepStrictEqual([...new Set(called)].sort(), NAMES);
  await client.close();
}
