/**
 * A server for the tests of the benchmark: `deno run stub_server.ts TOOL…` offers the tools named.
 *
 * It answers like an older server of the same tools: plain text and a structured value, the id at the end of the line.
 */

const DECODER = new TextDecoderStream();
const tools = Deno.args.map((name) => ({ name, inputSchema: { type: "object" } }));

let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(DECODER)) {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) await answer(JSON.parse(line));
}

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> };
}

async function answer({ id, method, params }: Request): Promise<void> {
  if (id === undefined) return;
  // A slow one is overtaken by the next.
  const reply = resultOf(method, params);
  const send = () => console.log(JSON.stringify({ jsonrpc: "2.0", ...reply, id }));
  if (params?.arguments?.["path"] === "slow") setTimeout(send, 100);
  else await Promise.resolve(send());
}

function resultOf(method: string, params: Request["params"]): object {
  if (method === "initialize") {
    return {
      result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "stub", version: "0.3" } },
    };
  }
  if (method === "tools/list") {
    return tools.length === 0 ? { error: { code: -32601, message: "no such method" } } : { result: { tools } };
  }
  const name = params?.name ?? "";
  const isError = !Deno.args.includes(name) || params?.arguments?.["path"] === "missing";
  if (params?.arguments?.["path"] === "huge") return { result: { content: [], filler: "x".repeat(65 * 1024 ** 2) } };
  const text = isError ? `${name} refused` : `one line of text from ${name}`;
  return { result: { content: [{ type: "text", text }], structuredContent: { exit_code: 0 }, isError } };
}
