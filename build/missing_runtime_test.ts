import { strictEqual } from "node:assert/strict";
import { missingRuntime } from "./missing_runtime.ts";

Deno.test("a runtime that cannot be fetched is told from every other fault of deno compile", () => {
  const url = "https://dl.deno.land/release/v2.9.6/denort-x86_64-unknown-linux-gnu.zip";
  const line = `error sending request for url (${url}): client error (Connect): dns error`;
  const message =
    `deno compile ended with 1\nerror: Writing to 'dist/vise.tmp'\n\nCaused by:\n    0: Setting up\n    1: `;
  strictEqual(missingRuntime(`${message}${line}\n    2: dns error\n`), line);
  for (const other of ["No space left on device", "error: Module not found", "cannot connect the download"]) {
    strictEqual(missingRuntime(message + other), null);
  }
});
