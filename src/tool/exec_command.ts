/** Tool `exec_command`: runs a shell command in the workspace. */

import { ToolError } from "../base/tool_error.ts";
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
import { type CallContext, defineTool } from "./tool.ts";

/** Contract 3.9. */
const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_TIMEOUT_MS = 600_000;
/** O-40. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
const MIN_CELLS = 2;
const MAX_CELLS = 1_000;

const input = s.object({
  cmd: s.string({ minLength: 1 }),
  workdir: s.optional(s.string()),
  cwd: s.optional(s.string({ about: "Same as workdir." })),
  timeout_ms: s.withDefault(s.integer({ min: 1, max: MAX_TIMEOUT_MS, about: "Lifetime." }), DEFAULT_TIMEOUT_MS),
  yield_time_ms: yieldArgument,
  ...outputArguments,
  stdin: s.withDefault(s.string({ about: "Whole input." }), ""),
  tty: s.withDefault(s.boolean(), false),
  columns: s.optional(s.integer({ min: MIN_CELLS, max: MAX_CELLS })),
  rows: s.optional(s.integer({ min: MIN_CELLS, max: MAX_CELLS })),
  keep_stdin_open: s.withDefault(s.boolean(), false),
  env: s.optional(s.record(s.string())),
});

type Input = s.Infer<typeof input>;

const output = s.openObject({
  ...commandOutput,
  elapsed_ms: s.optional(s.integer()),
});

/** Passes the gates of the policy first; waits at most `yield_time_ms` for the end. */
export const execCommand = defineTool<Input, CommandValue>({
  name: "exec_command",
  title: "Execute command",
  description:
    'Run a shell command, confined to the workspace. Returns at exit or after yield_time_ms; while status is running, poll with write_stdin(command_id, chars="") or stop with kill_command. A non-zero exit is a result, not an error. Output is cut to its end: page it with read_output, redirect big output to a file. tty=true gives a terminal. cd and variables do not carry over.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  output,
  slips: { command: "cmd", script: "cmd", directory: "workdir", timeout: "timeout_ms", input: "stdin", pty: "tty" },

  async run(args, context) {
    const startedAt = performance.now();
    const { path, absolute } = directoryAt(workdirOf(args), { args, context });
    const engine = await context.engines.run();
    const terminal = args.tty ? { columns: args.columns ?? DEFAULT_COLUMNS, rows: args.rows ?? DEFAULT_ROWS } : null;
    const { progress } = context;
    const report = await engine.exec({
      cmd: args.cmd,
      workdir: path,
      cwd: absolute,
      env: args.env ?? {},
      hasTerminal: args.tty,
      principal: context.principal,
      canAsk: context.elicit !== undefined,
      deadlineMs: args.timeout_ms,
      yieldMs: args.yield_time_ms,
      maxOutputBytes: args.max_output_bytes,
      stdin: args.stdin,
      terminal,
      keepStdinOpen: args.keep_stdin_open,
      signal: context.signal,
      onStarted: context.onUnanswered,
      ...(progress === undefined ? {} : { progress }),
    });
    const elapsed_ms = Math.round(performance.now() - startedAt);
    const view = { verbosity: args.verbosity, previewBytes: args.preview_bytes };
    return { ...commandValue(report, view), elapsed_ms };
  },

  render(value) {
    return renderCommand(value, statusLine(value, value["elapsed_ms"] as number));
  },
});

function workdirOf({ workdir, cwd }: Input): string {
  if (workdir !== undefined && cwd !== undefined && workdir !== cwd) {
    throw new ToolError("INVALID_ARGUMENT", `Cannot use both workdir ${workdir} and cwd ${cwd}: they differ`, {
      details: { argument: "cwd", retry_hint: "Give workdir alone." },
      root: { status: "failed" },
    });
  }
  return (workdir ?? cwd ?? ".") || ".";
}

function directoryAt(
  spelled: string,
  { args, context }: { args: Input; context: CallContext },
): { path: string; absolute: string } {
  const argument = args.workdir === undefined ? "cwd" : "workdir";
  try {
    const { path, absolute, kind } = context.engines.workspace.resolveExisting(spelled);
    if (kind === "directory") return { path, absolute };
    throw new ToolError("NOT_A_DIRECTORY", `Cannot run in ${spelled}: it is a ${kind}`);
  } catch (fault) {
    if (!(fault instanceof ToolError)) throw fault;
    // What resolves paths knows them as "path"; here the argument has another name.
    throw new ToolError(fault.code, fault.message, { ...fault, details: { ...fault.details, argument } });
  }
}
