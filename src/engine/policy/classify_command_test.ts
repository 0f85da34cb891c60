import { deepStrictEqual } from "node:assert/strict";
import { classifyCommand, type PolicyContext } from "./classify_command.ts";

const SAFE: PolicyContext = {
  mode: "safe",
  network: "none",
  granted: new Set(),
  callEnv: {},
  locate: () => "inside",
  isRuntimePath: () => false,
  setIdProgram: (word) => ["su", "mount", "passwd"].includes(word) ? `/usr/bin/${word}` : null,
};

Deno.test("classifyCommand() names the gate and its facts", () => {
  deepStrictEqual(classifyCommand("python3 <<EOF\nprint(1)\nEOF", SAFE), {
    kind: "blocked",
    permission: "inline_script",
    details: { command: "python3", option: "<<" },
  });
  deepStrictEqual(classifyCommand("LS;  RM -rf\td", SAFE), {
    kind: "blocked",
    permission: "destructive_command",
    details: { command: "ls; rm -rf d" },
  });
});
