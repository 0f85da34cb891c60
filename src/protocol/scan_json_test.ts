import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { parseMessage } from "./message.ts";
import { MAX_NESTING, scanJson } from "./scan_json.ts";

Deno.test("scanJson() finds the text of the top-level id wherever it stands", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }), fc.jsonValue(), (rest, id) => {
    const object = { ...rest, id };
    const text = JSON.stringify(object);
    strictEqual(scanJson(text).idText, JSON.stringify(id));
    strictEqual(scanJson(JSON.stringify(object, null, 2)).idText === null, false);
  }));
});

Deno.test("scanJson() reads the key's escapes as a JSON parser does", () => {
  strictEqual(scanJson('{"\\u0069d": 12}').idText, "12");
  strictEqual(scanJson('{"a":"\\\\","id":3}').idText, "3");
  strictEqual(scanJson('{"a":"id","b":{"id":4}}').idText, null);
});

Deno.test("scanJson() counts nesting outside strings only", () => {
  strictEqual(scanJson("[".repeat(MAX_NESTING)).tooDeep, false);
  strictEqual(scanJson("[".repeat(MAX_NESTING + 1)).tooDeep, true);
  strictEqual(scanJson(JSON.stringify("[".repeat(5_000))).tooDeep, false);
});

Deno.test("parseMessage() never throws and classifies every input", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    const message = parseMessage(bytes);
    strictEqual(message === null || ["request", "notification", "response", "bad"].includes(message.kind), true);
  }));
});

Deno.test("parseMessage() answers a bad envelope under the id it carries", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const faults = [
    ['{"id":3,"method":"ping"}', "3", "jsonrpc_version"],
    ['{"jsonrpc":"1.0","id":"a","method":"ping"}', '"a"', "jsonrpc_version"],
    ['{"jsonrpc":"2.0","id":3,"method":""}', "3", "method"],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "null", "id"],
    ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', "3", "params"],
  ];
  for (const [text, idText, reason] of faults) {
    const message = parseMessage(bytes(text as string));
    if (message?.kind !== "bad") throw new Error(`${text} was accepted`);
    deepStrictEqual([message.idText, message.error.data?.["reason"]], [idText, reason]);
  }
});
