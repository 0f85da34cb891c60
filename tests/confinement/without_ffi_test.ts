/** Run with scoped permissions and without FFI, file tools still work, still confine, and say what they cannot promise. */

import assert from "node:assert/strict";
import { REPOSITORY } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

Deno.test("without FFI files are read and listed, links out are refused, and server_info says what is missing", () => {
  using place = new TempWorkspace();
  place.sh(
    "mkdir d ../out; printf 'text\\n' > d/f; printf 'S3CRET' > ../out/k; ln -s ../out/k k; ln -s ../out o; mkfifo q",
  );
  assert.equal(call(place, "read_file", { path: "d/f" }).content, "text\n");
  assert.equal(call(place, "read_file", { path: "k" }).error.code, "SYMLINK_ESCAPE");
  assert.equal(call(place, "read_file", { path: "o/k" }).error.code, "PATH_OUTSIDE_WORKSPACE");
  assert.match(call(place, "read_file", { path: "q" }).error.message, /not a regular file but a FIFO/);
  // deno-lint-ignore no-explicit-any
  const names = call(place, "list_dir", { recursive: true }).entries.map((entry: any) => entry.path);
  assert.deepEqual(names.toSorted(), ["d", "d/f", "k", "o", "q"]);
  const { file_confinement, landlock } = call(place, "server_info", {});
  assert.equal(file_confinement.race_free, false);
  assert.match(file_confinement.reason, /FFI/);
  assert.equal(landlock.available, false);
});

// deno-lint-ignore no-explicit-any
function call(place: TempWorkspace, tool: string, args: Record<string, unknown>): any {
  const permissions = [`--allow-read`, "--allow-env", "--allow-sys", "--no-prompt"];
  const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      ...permissions,
      `${REPOSITORY}main.ts`,
      "call",
      "--json",
      "--workspace",
      place.root,
      tool,
      JSON.stringify(args),
    ],
  }).outputSync();
  const text = new TextDecoder().decode(stdout);
  assert.notEqual(text, "", new TextDecoder().decode(stderr));
  return JSON.parse(text);
}
