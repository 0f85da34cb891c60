import { deepStrictEqual, doesNotThrow, strictEqual, throws } from "node:assert/strict";
import { ProtocolError } from "../../protocol/protocol_error.ts";
import { checkMirrors, refuseDuplicates } from "./mirror_headers.ts";

const META = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };

function mirrored(name: string | null, method = "tools/call"): Headers {
  const headers = new Headers({ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method });
  if (name !== null) headers.set("Mcp-Name", name);
  return headers;
}

function refusal(run: () => void): unknown {
  let data: unknown;
  throws(run, (fault) => {
    data = (fault as ProtocolError).data;
    return fault instanceof ProtocolError && fault.code === -32020;
  });
  return data;
}

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

Deno.test("the name of a tool may be wrapped in base64, and what is in it counts", () => {
  const call = (name: string) => ({ method: "tools/call", params: { ...META, name } });
  doesNotThrow(() => checkMirrors(mirrored(`=?base64?${base64("read_file")}?=`), call("read_file")));
  doesNotThrow(() => checkMirrors(mirrored(`=?BASE64?${base64("日本").replace(/=+$/, "")}?=`), call("日本")));
  for (
    const [wrapped, reason] of [
      [base64("other"), "mismatch"],
      ["cmVh*ZA==", "invalid_base64"],
      [btoa("\xff\xfe"), "invalid_base64"],
    ] as const
  ) {
    deepStrictEqual(refusal(() => checkMirrors(mirrored(`=?base64?${wrapped}?=`), call("read_file"))), {
      header: "Mcp-Name",
      reason,
    });
  }
  deepStrictEqual(refusal(() => checkMirrors(mirrored(`=?base64?${"A".repeat(8_196)}?=`), call("read_file"))), {
    header: "Mcp-Name",
    reason: "oversized",
    max_length: 8_192,
  });
});

Deno.test("the mirrored name of a resource is its address, and other methods mirror none", () => {
  const read = { method: "resources/read", params: { ...META, uri: "file:///a" } };
  doesNotThrow(() => checkMirrors(mirrored("file:///a", "resources/read"), read));
  deepStrictEqual(refusal(() => checkMirrors(mirrored(null, "resources/read"), read)), {
    header: "Mcp-Name",
    reason: "missing",
  });
  doesNotThrow(() => checkMirrors(mirrored(null, "tools/list"), { method: "tools/list", params: META }));
});

Deno.test("a mirror header that is sent twice is refused; a name may hold a comma", () => {
  for (const header of ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"]) {
    const headers = mirrored("tool");
    headers.append(header, headers.get(header) as string);
    deepStrictEqual(refusal(() => refuseDuplicates(headers)), { header, reason: "duplicate" });
  }
  const other = mirrored("tool");
  other.append("Mcp-Method", "tools/list");
  deepStrictEqual(refusal(() => refuseDuplicates(other)), { header: "Mcp-Method", reason: "duplicate" });
  strictEqual(refuseDuplicates(mirrored("one, two")), undefined);
});
