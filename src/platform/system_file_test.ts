import { match, ok, strictEqual, throws } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { TempWorkspace } from "../../tests/support/temp_workspace.ts";
import { identityOf, listSystemDirectory, readSystemFile, readSystemLink } from "./system_file.ts";

const LINUX = Deno.build.os === "linux";

Deno.test(
  { name: "files of /proc are read to their end although they have no size (Linux only)", ignore: !LINUX },
  () => {
    match(readSystemFile("/proc/self/stat"), new RegExp(`^${Deno.pid} `));
    ok(readSystemFile("/proc/self/maps").length > 4_096);
    ok(listSystemDirectory("/proc").includes(String(Deno.pid)));
    match(readSystemLink("/proc/self/ns/pid"), /^pid:\[\d+\]$/);
    throws(() => readSystemFile("/proc/no-such"), /ENOENT/);
  },
);

Deno.test({
  name: "identityOf() tells objects apart and knows nothing of what is not there (Linux only)",
  ignore: !LINUX,
}, () => {
  using ws = new TempWorkspace();
  ws.write("a", "");
  ws.write("b", "");
  ok(identityOf(ws.path("a")) !== identityOf(ws.path("b")));
  strictEqual(identityOf(ws.path("c")), null);
  match(identityOf("/dev/null") ?? "", /^\d+:\d+$/);
});

Deno.test({
  name: "files of /proc stay readable after the network permission was given up (Linux only)",
  ignore: !LINUX,
}, () => {
  const module = new URL("./system_file.ts", import.meta.url).href;
  const script = `const { readSystemFile, identityOf } = await import(${JSON.stringify(module)});
    Deno.permissions.revokeSync({ name: "net" });
    console.log(readSystemFile("/proc/self/stat").length > 10, identityOf("/dev/shm") !== null);`;
  const stdout = execFileSync(Deno.execPath(), ["run", "--quiet", "-A", "-"], { input: script, encoding: "utf8" });
  strictEqual(stdout, "true true\n");
});
