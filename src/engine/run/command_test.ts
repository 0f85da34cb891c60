import { strictEqual } from "node:assert/strict";
import type { Child, ChildEvents, ChildHost, ExitFacts } from "../../platform/child.ts";
import { Command } from "./command.ts";
import type { PreparedCommand } from "./surroundings.ts";

/** A host whose children do nothing until a test says so. */
class StillHost {
  events: ChildEvents | undefined;

  spawn({ events }: { events: ChildEvents }): Partial<Child> {
    this.events = events;
    return { pid: 1, release: () => {} };
  }
}

Deno.test("Command.release() ends the wait for a command that has exited but whose output was not yet at its end", async () => {
  const host = new StillHost();
  const command = new Command(host as unknown as ChildHost, {
    id: "c1",
    prepared: { warnings: [] } as unknown as PreparedCommand,
    cwd: "/",
    terminal: null,
    stdin: "empty",
    streamBudgetBytes: 65_536,
    onExit: () => {},
  });
  host.events?.exited({ exitCode: null, signal: "SIGTERM" } as ExitFacts);
  const waiting = command.waitForEnd(60_000);
  command.release();
  strictEqual(await waiting, true);
});
