/** Tool `kill_command`: ends a command with everything it started. */

import * as s from "../schema/schema.ts";
import { commandOutput, type CommandValue, commandValue, outputArguments, renderCommand } from "./_command_view.ts";
import { defineTool } from "./tool.ts";

const MAX_WAIT_MS = 30_000;
/** Contract 3.11. */
const DEFAULT_WAIT_MS = 5_000;
const DEFAULT_KILL_WAIT_MS = 2_000;

const input = s.object({
  command_id: s.string({ minLength: 1 }),
  signal: s.withDefault(s.enumeration(["TERM", "KILL", "INT"]), "TERM"),
  wait_ms: s.withDefault(s.integer({ min: 0, max: MAX_WAIT_MS, about: "Then KILL." }), DEFAULT_WAIT_MS),
  kill_wait_ms: s.withDefault(s.integer({ min: 0, max: MAX_WAIT_MS }), DEFAULT_KILL_WAIT_MS),
  ...outputArguments,
});

type Input = s.Infer<typeof input>;

/** Waits for the end of the whole tree, within `wait_ms` and `kill_wait_ms`. */
export const killCommand = defineTool<Input, CommandValue>({
  name: "kill_command",
  title: "Kill command",
  description: "End a command with all its descendants.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input,
  output: s.openObject({
    ...commandOutput,
    killed: s.optional(s.boolean()),
    evicted: s.optional(s.boolean()),
    signal_sent: s.optional(s.nullable(s.string())),
    descendants_ended: s.optional(s.integer()),
  }),
  slips: { id: "command_id", session_id: "command_id", timeout_ms: "wait_ms" },

  async run(args, context) {
    const engine = await context.engines.run();
    const report = await engine.kill({
      id: args.command_id,
      signal: args.signal,
      waitMs: args.wait_ms,
      killWaitMs: args.kill_wait_ms,
      maxOutputBytes: args.max_output_bytes,
    });
    const value = commandValue(report, { verbosity: args.verbosity, previewBytes: args.preview_bytes });
    const isOver = report.killStatus !== "terminating";
    return {
      ...value,
      status: report.killStatus,
      final_status: report.status,
      killed: report.killStatus === "killed" || report.killStatus === "terminated",
      evicted: isOver,
      signal_sent: report.signalSent,
      ...(report.descendantsEnded > 0 ? { descendants_ended: report.descendantsEnded } : {}),
      ...(isOver ? {} : {
        next_action: "The command is still ending; call kill_command again with signal KILL to look at it again.",
      }),
    };
  },

  render(value) {
    return renderCommand(value, `Command ${value.command_id}: ${verdict(value)}`);
  },
});

function verdict(value: CommandValue): string {
  const ended = Number(value["descendants_ended"] ?? 0);
  const descendants = ended === 0 ? "" : ` ${ended} descendant${ended === 1 ? "" : "s"} ended.`;
  if (value.status !== "exited") {
    // A program that handles the signal chooses its own end.
    const exit = value.exit_code === null ? "" : `; exit code ${value.exit_code}`;
    return `${value.status} (signal ${value["signal_sent"]}${exit}).${descendants}`;
  }
  return `exited (already ${earlierEnd(value)}; no signal sent${ended === 0 ? "" : " to it"}).${descendants}`;
}

function earlierEnd(value: CommandValue): string {
  if (value.timed_out) return "timed out";
  return value.signal === null ? `finished with exit code ${value.exit_code}` : `finished by signal ${value.signal}`;
}
