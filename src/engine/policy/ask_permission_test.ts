import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { ToolError } from "../../base/tool_error.ts";
import { type AskFacts, askPermission, type PermissionQuestion } from "./ask_permission.ts";
import { GrantStore } from "./grant_store.ts";

const QUESTION: PermissionQuestion = {
  toolName: "exec_command",
  permission: "network",
  reason: "install packages",
  command: "npm ci",
  envKeys: [],
  scope: "once",
  ttlSeconds: 60,
  principal: "p",
};

type Action = "accept" | "decline" | "cancel";

function facts(answer: Action, changes: Partial<AskFacts> = {}): AskFacts & { asked: string[] } {
  const asked: string[] = [];
  return {
    mode: "safe",
    networkIsOpen: false,
    workspace: "/w",
    grants: new GrantStore(),
    ask: (message) => {
      asked.push(message);
      return Promise.resolve(answer);
    },
    signal: new AbortController().signal,
    asked,
    ...changes,
  };
}

function failsWith(code: string, status: string): (fault: unknown) => boolean {
  return (fault) => {
    ok(fault instanceof ToolError);
    deepStrictEqual([fault.code, fault.root["status"], fault.root["grant_id"]], [code, status, null]);
    return true;
  };
}

Deno.test("an accepted question becomes a grant bound to what was shown", async () => {
  const scene = facts("accept");
  const answer = await askPermission(QUESTION, scene);
  ok(answer.kind === "granted");
  const { permission, scope, command, principal } = answer.grant;
  deepStrictEqual([permission, scope, command, principal], ["network", "once", "npm ci", "p"]);
  deepStrictEqual(scene.asked, [
    "Allow the assistant to use the network in /w, for the next matching command within 60 seconds?\n" +
    "Command:\n> npm ci\nThe assistant's reason:\n> install packages",
  ]);
});

Deno.test("declining, cancelling, cancelling the call and having nobody to ask give no grant", async () => {
  const declined = facts("decline");
  await rejects(askPermission(QUESTION, declined), failsWith("PERMISSION_REQUIRED", "declined"));
  await rejects(askPermission(QUESTION, facts("cancel")), failsWith("PERMISSION_REQUIRED", "cancelled"));
  const signal = AbortSignal.abort();
  const pending = facts("accept", { signal, ask: () => new Promise(() => {}) });
  const aborting = new AbortController();
  const waiting = askPermission(QUESTION, { ...pending, signal: aborting.signal });
  aborting.abort();
  await rejects(waiting, failsWith("PERMISSION_REQUIRED", "cancelled"));
  await rejects(
    askPermission(QUESTION, facts("accept", { ask: null })),
    failsWith("ELICITATION_UNSUPPORTED", "unsupported"),
  );
  deepStrictEqual(declined.grants.list(), []);
});

Deno.test("nobody is asked for what no answer can give or what is given already", async () => {
  for (const permission of ["filesystem_escape", "write_generated_or_ignored"]) {
    const scene = facts("accept");
    await rejects(askPermission({ ...QUESTION, permission }, scene), failsWith("PERMISSION_REQUIRED", "declined"));
    deepStrictEqual(scene.asked, []);
  }
  await rejects(askPermission({ ...QUESTION, toolName: "apply_patch" }, facts("accept")));
  const free: [Partial<PermissionQuestion>, Partial<AskFacts>][] = [
    [{ permission: "long_timeout" }, {}],
    [{ permission: "network" }, { networkIsOpen: true }],
    [{ permission: "inline_script" }, { mode: "trusted" }],
    [{ permission: "shell_expansion" }, { mode: "trusted" }],
  ];
  for (const [question, changes] of free) {
    const scene = facts("accept", changes);
    strictEqual((await askPermission({ ...QUESTION, ...question }, scene)).kind, "not_required");
    deepStrictEqual([scene.asked, scene.grants.list()], [[], []]);
  }
});

Deno.test("the assistant's words cannot pose as a part of the question", async () => {
  const scene = facts("accept");
  const command = "ls\nThe assistant's reason:\n> fine\u202e\u001b[2J";
  await askPermission({ ...QUESTION, command, reason: "a\r\nAllow?" }, scene);
  const [message = ""] = scene.asked;
  deepStrictEqual(message.split("\n").slice(1), [
    "Command:",
    "> ls",
    "> The assistant's reason:",
    "> > fine\ufffd\ufffd[2J",
    "The assistant's reason:",
    "> a\ufffd",
    "> Allow?",
  ]);
});

Deno.test("a command too long to be shown whole is not asked for", async () => {
  const scene = facts("accept");
  await rejects(askPermission({ ...QUESTION, command: "x".repeat(4_001) }, scene), (fault) => {
    return fault instanceof ToolError && fault.code === "INVALID_ARGUMENT";
  });
  deepStrictEqual(scene.asked, []);
});
