import { deepStrictEqual, ok } from "node:assert/strict";
import { classifyCommand, type PolicyContext } from "../../src/engine/policy/classify_command.ts";
import type { PermissionMode } from "../../src/config/config.ts";

const LABELS: Readonly<Record<string, string>> = {
  net: "network",
  inline: "inline_script",
  expand: "shell_expansion",
  destroy: "destructive_command",
  escape: "filesystem_escape",
  setid: "privileged_executable",
  ok: "allowed",
};
const SETUID = new Set(["su", "mount", "passwd"]);

interface Row {
  readonly line: number;
  readonly safe: string;
  readonly trusted: string;
  readonly command: string;
}

function context(mode: PermissionMode): PolicyContext {
  return {
    mode,
    network: mode === "safe" ? "none" : "open",
    granted: new Set(),
    callEnv: {},
    locate: (path) => path.startsWith("out.d/") ? "outside" : "inside",
    isRuntimePath: () => false,
    setIdProgram: (word) => SETUID.has(word) ? `/usr/bin/${word}` : null,
  };
}

function rows(): Row[] {
  const text = Deno.readTextFileSync(new URL("./commands.txt", import.meta.url));
  return text.split("\n").flatMap((line, at) => {
    const match = /^(\w+) +(\w+) +(.*?) {2}## (.+)$/.exec(line);
    if (match === null) {
      ok(line === "" || line.startsWith("#"), `line ${at + 1} of commands.txt has no verdict: ${line}`);
      return [];
    }
    const [, safe, trusted, command] = match as unknown as [string, string, string, string];
    return [{ line: at + 1, safe, trusted, command: command.replaceAll("\\n", "\n") }];
  });
}

function verdict(command: string, mode: PermissionMode): string {
  const found = classifyCommand(command, context(mode));
  const name = found.kind === "allowed" ? "allowed" : found.permission;
  return Object.entries(LABELS).find(([, value]) => value === name)?.[0] ?? name;
}

Deno.test("every command of the table gets the verdict written beside it", () => {
  const table = rows();
  ok(table.length > 450, `only ${table.length} rows were read`);
  const wrong = table.flatMap(({ line, command, safe, trusted }) => {
    const found = `${verdict(command, "safe")} ${verdict(command, "trusted")}`;
    return found === `${safe} ${trusted}` ? [] : [`line ${line}: ${command} -> ${found}, written ${safe} ${trusted}`];
  });
  deepStrictEqual(wrong, []);
});

Deno.test("no command is stopped in dangerous mode", () => {
  for (const { command } of rows()) {
    deepStrictEqual(classifyCommand(command, context("dangerous")).kind, "allowed", command);
  }
});
