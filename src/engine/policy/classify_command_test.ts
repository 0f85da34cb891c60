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

Deno.test("a refusal shows the command in one line of lower case, at most 500 characters of it", () => {
  const shown = (cmd: string) => {
    const verdict = classifyCommand(cmd, SAFE);
    return verdict.kind === "blocked" ? verdict.details["command"] : null;
  };
  deepStrictEqual(shown("  rm \t -RF\n d  "), "rm -rf d");
  deepStrictEqual(shown(`rm -rf ${"x".repeat(600)}`), `rm -rf ${"x".repeat(493)}`);
});

Deno.test("a command word that only the shell knows is looked up nowhere", () => {
  const asked: string[] = [];
  const setIdProgram = (word: string) => {
    asked.push(word);
    return null;
  };
  classifyCommand("$X a; ls", { ...SAFE, setIdProgram });
  deepStrictEqual(asked, ["ls"]);
});

Deno.test("the removal of an absolute path is destructive, where paths are no matter of the gate before it", () => {
  const verdict = classifyCommand("rm -f /run/x", { ...SAFE, isRuntimePath: () => true });
  deepStrictEqual(verdict.kind === "blocked" ? verdict.permission : null, "destructive_command");
});
