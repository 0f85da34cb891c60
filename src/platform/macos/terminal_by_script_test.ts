import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { terminalByScript } from "./terminal_by_script.ts";

const LAUNCH = { path: "/bin/echo", argv: ["echo", "a b", "$HOME"], inherit: [], statusRead: null, release: () => {} };

Deno.test("terminalByScript() hands the program and its arguments on unchanged", () => {
  const { path, argv } = terminalByScript(LAUNCH, { columns: 132, rows: 50 });
  strictEqual(path, "/usr/bin/script");
  deepStrictEqual(argv.slice(0, 5), ["/usr/bin/script", "-q", "/dev/null", "/bin/sh", "-c"]);
  deepStrictEqual(argv.slice(6), ["50", "132", "/bin/echo", "a b", "$HOME"]);
});

Deno.test({
  name: "the shell line of terminalByScript() runs the program with its arguments as they are",
  ignore: Deno.build.os === "windows",
  fn: () => {
    const { argv } = terminalByScript(LAUNCH, { columns: 132, rows: 50 });
    const output = execFileSync(argv[3] as string, argv.slice(4), {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    strictEqual(output, "a b $HOME\n");
  },
});
