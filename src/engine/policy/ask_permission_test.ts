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

Deno.test("nobody is asked for what is open already, and only then", async () => {
  const answerTo = async (question: Partial<PermissionQuestion>, changes: Partial<AskFacts>) => {
    return (await askPermission({ ...QUESTION, ...question }, facts("accept", changes))).kind;
  };
  strictEqual(await answerTo({}, { networkIsOpen: true }), "not_required");
  strictEqual(await answerTo({ permission: "destructive_command" }, { networkIsOpen: true }), "granted");
  strictEqual(await answerTo({ permission: "long_timeout" }, {}), "not_required");
  for (const permission of ["shell_expansion", "inline_script"]) {
    strictEqual(await answerTo({ permission }, { mode: "trusted" }), "not_required");
    strictEqual(await answerTo({ permission }, { mode: "safe" }), "granted");
  }
  strictEqual(await answerTo({ permission: "sensitive_env" }, { mode: "trusted" }), "granted");
  const other = { toolName: "read_file", permission: "long_timeout" };
  await rejects(answerTo(other, {}), failsWith("PERMISSION_REQUIRED", "declined"));
});

Deno.test("the question names what is asked for, for how long, and with which variables", async () => {
  const ask = async (question: Partial<PermissionQuestion>) => {
    const scene = facts("accept");
    await askPermission({ ...QUESTION, ...question }, scene);
    return scene.asked[0] as string;
  };
  const actions = {
    network: "use the network",
    destructive_command: "run a destructive command",
    sensitive_env: "pass secret or loader variables to a command",
    shell_expansion: "use command and process substitution",
    inline_script: "run code given on the command line",
    privileged_executable: "start a setuid or setgid program",
  };
  for (const [permission, action] of Object.entries(actions)) {
    ok((await ask({ permission })).startsWith(`Allow the assistant to ${action} in /w, for the next matching command`));
  }
  ok((await ask({ scope: "session" })).includes(", for every matching command during 60 seconds?\n"));
  ok((await ask({ command: null })).includes("?\nCommand: any\nThe assistant's reason"));
  ok((await ask({ envKeys: ["A", "B"] })).includes("\nVariables: A, B\nThe"));
  ok((await ask({ envKeys: ["A"] })).includes("\nVariables: A\n"));
  ok(!(await ask({})).includes("Variables"));
  const long = await ask({ reason: "r".repeat(1_001) });
  ok(long.endsWith(`> ${"r".repeat(1_000)}`));
});

Deno.test("a command is asked for whole or not at all", async () => {
  const asked = (length: number) => askPermission({ ...QUESTION, command: "x".repeat(length) }, facts("accept"));
  strictEqual((await asked(4_000)).kind, "granted");
  await rejects(asked(4_001), (fault: ToolError) => {
    deepStrictEqual([fault.code, fault.details["argument"]], ["INVALID_ARGUMENT", "arguments.cmd"]);
    return true;
  });
});

Deno.test("a refusal repeats what was asked for, without a command where it was for any", async () => {
  const requested = async (question: Partial<PermissionQuestion>) => {
    const fault = await askPermission({ ...QUESTION, ...question }, facts("decline")).catch((error: ToolError) =>
      error
    );
    return (fault as ToolError).details["requested"];
  };
  const asked = {
    tool_name: "exec_command",
    permission: "network",
    reason: "install packages",
    scope: "once",
    ttl_seconds: 60,
  };
  deepStrictEqual(await requested({ command: null }), asked);
  deepStrictEqual(await requested({}), { ...asked, command: "npm ci" });
});

Deno.test("a person who does not answer within 10 minutes has not decided", async () => {
  using time = new FakeTime();
  const waiting = askPermission(QUESTION, facts("accept", { ask: () => new Promise(() => {}) }));
  let isOver = false;
  waiting.catch(() => isOver = true);
  await time.advance(599_999);
  strictEqual(isOver, false);
  await time.advance(1);
  await rejects(waiting, failsWith("PERMISSION_REQUIRED", "timed_out"));
});

Deno.test("an answer leaves neither a timer nor a listener behind", async () => {
  using time = new FakeTime();
  const listeners = new Set<unknown>();
  const signal = new AbortController().signal;
  signal.addEventListener = (type: string, listener: unknown) => void listeners.add(`${type} ${listener}`);
  signal.removeEventListener = (type: string, listener: unknown) => void listeners.delete(`${type} ${listener}`);
  await askPermission(QUESTION, facts("accept", { signal }));
  deepStrictEqual([listeners.size, time.waiting], [0, 0]);
});

/** Stands in for timers of this process. */
class FakeTime {
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  readonly #original = { setTimeout, clearTimeout };
  #now = 0;
  #next = 1;

  constructor() {
    const set = (run: () => void, ms: number): number => {
      this.#timers.set(this.#next, { at: this.#now + ms, run });
      return this.#next++;
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: (id: number) => this.#timers.delete(id) });
  }

  get waiting(): number {
    return this.#timers.size;
  }

  async advance(ms: number): Promise<void> {
    this.#now += ms;
    for (const [id, timer] of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(id);
      timer.run();
    }
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#original);
  }
}
