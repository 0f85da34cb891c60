/** Tool `write_stdin`: gives input to a running command, or only looks what it wrote since. */

import * as s from "../schema/schema.ts";
import {
  commandOutput,
  type CommandValue,
  commandValue,
  outputArguments,
  renderCommand,
  statusLine,
  yieldArgument,
} from "./_command_view.ts";
import { defineTool } from "./tool.ts";

const input = s.object({
  command_id: s.string({ minLength: 1 }),
  chars: s.withDefault(s.string({ about: "Empty polls; \\u0003 is Ctrl-C on a tty." }), ""),
  close_stdin: s.withDefault(s.boolean(), false),
  yield_time_ms: yieldArgument,
  ...outputArguments,
});

type Input = s.Infer<typeof input>;

/** Without characters it changes nothing and is the way to poll. */
export const writeStdin = defineTool<Input, CommandValue>({
  name: "write_stdin",
  title: "Write stdin",
  description:
    "Send input to a command started with tty or keep_stdin_open, or poll it with empty chars. Returns new output only.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input,
  output: s.openObject({ ...commandOutput, stdin_bytes_written: s.optional(s.integer()) }),
  slips: { input: "chars", text: "chars", stdin: "chars", id: "command_id", session_id: "command_id" },

  async run(args, context) {
    const engine = await context.engines.run();
    const { progress } = context;
    const report = await engine.poll({
      id: args.command_id,
      chars: args.chars,
      closeStdin: args.close_stdin,
      yieldMs: args.yield_time_ms,
      maxOutputBytes: args.max_output_bytes,
      signal: context.signal,
      ...(progress === undefined ? {} : { progress }),
    });
    const value = commandValue(report, { verbosity: args.verbosity, previewBytes: args.preview_bytes });
    return report.stdinWrittenBytes === null ? value : { ...value, stdin_bytes_written: report.stdinWrittenBytes };
  },

  render(value) {
    return renderCommand(value, statusLine(value));
  },
});
