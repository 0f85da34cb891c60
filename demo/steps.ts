/** What an agent does to repair the small repository, call by call. */

/** One call of the story. */
export interface Step {
  readonly why: string;
  readonly tool: string;
  readonly args: Record<string, unknown> | ((facts: Facts) => Record<string, unknown>);
  /** What must be true of the result for the story to go on. */
  readonly expect: (result: StepResult, facts: Facts) => boolean;
}

/** What a client sees of a result. */
export interface StepResult {
  readonly text: string;
  // deno-lint-ignore no-explicit-any
  readonly value: any;
  readonly isError: boolean;
}

/** What earlier results told and later calls need. */
export interface Facts {
  commandId?: string;
}

const AMBIGUOUS_PATCH = `*** Begin Patch
*** Update File: src/invoice.js
@@
   for (const line of lines) {
-    sum += line.quantity * line.cents;
+    sum += roundCents((line.quantity * line.cents * (line.discountPercent ?? 0)) / 100);
   }
*** End Patch`;

const SCOPED_PATCH = AMBIGUOUS_PATCH.replace("@@", "@@ export function discount(lines) {");

/** The repair of `broken_project.ts`, from the failing test to the green one. */
export const STEPS: readonly Step[] = [
  {
    why: "Where am I, and what is enforced?",
    tool: "server_info",
    args: {},
    expect: ({ value }) => value.tool_count === 20,
  },
  {
    why: "Which rules does this project have?",
    tool: "workspace_guide",
    args: { path: "src/invoice.js" },
    expect: ({ value }) => value.rules[0].path === "AGENTS.md",
  },
  {
    why: "What happened last?",
    tool: "git_log",
    args: { max_count: 3 },
    expect: ({ value }) => value.commits.length === 1,
  },
  {
    why: "What is here?",
    tool: "list_dir",
    args: { recursive: true },
    expect: ({ value }) => value.entries.length >= 7,
  },
  {
    why: "Does it work? Run the tests.",
    tool: "exec_command",
    args: { cmd: "node --test --test-reporter=spec", yield_time_ms: 30_000 },
    expect: ({ value }) => value.status === "exited" && value.exit_code !== 0,
  },
  {
    why: "A discount is wrong. Where is it made?",
    tool: "search_text",
    args: { query: "function discount", context_lines: 2 },
    expect: ({ value }) => value.matches[0].path === "src/invoice.js",
  },
  {
    why: "Read it.",
    tool: "read_file",
    args: { path: "src/invoice.js", line_numbers: true },
    expect: ({ value }) => value.total_lines > 20,
  },
  {
    why: "Patch the sum – but the same lines stand in two functions.",
    tool: "apply_patch",
    args: { patch: AMBIGUOUS_PATCH },
    expect: ({ isError, value }) => isError && value.error.code === "PATCH_CONTEXT_AMBIGUOUS",
  },
  {
    why: "Nothing was changed. Name the function, and look first what would happen.",
    tool: "apply_patch",
    args: { patch: SCOPED_PATCH, dry_run: true },
    expect: ({ value }) => value.dry_run === true,
  },
  {
    why: "That is the right place. Apply it.",
    tool: "apply_patch",
    args: { patch: SCOPED_PATCH },
    expect: ({ value }) => value.clean === true,
  },
  {
    why: "Try the new function in a live interpreter that stays open.",
    tool: "exec_command",
    args: { cmd: "node -i", keep_stdin_open: true, yield_time_ms: 300 },
    expect: ({ value }, facts) => {
      facts.commandId = value.command_id;
      return value.status === "running";
    },
  },
  {
    why: "Type into it.",
    tool: "write_stdin",
    args: ({ commandId }) => ({
      command_id: commandId,
      chars: "(await import('./src/invoice.js')).discount([{ quantity: 2, cents: 1000, discountPercent: 5 }])\n",
    }),
    expect: ({ value }) => /100/.test(value.stdout),
  },
  {
    why: "Close it.",
    tool: "kill_command",
    args: ({ commandId }) => ({ command_id: commandId }),
    expect: ({ value }) => value.evicted === true,
  },
  {
    why: "Its output is still there.",
    tool: "read_output",
    args: ({ commandId }) => ({ output_ref: `command:${commandId}:stdout`, limit: 400 }),
    expect: ({ value }) => value.total_stream_bytes > 0,
  },
  {
    why: "What did I change?",
    tool: "git_diff",
    args: {},
    expect: ({ value }) => /^\+.*discountPercent/m.test(value.diff),
  },
  {
    why: "And what does git say?",
    tool: "git_status",
    args: {},
    expect: ({ value }) => value.entries.length === 1,
  },
  {
    why: "Run the tests again.",
    tool: "exec_command",
    args: { cmd: "node --test --test-reporter=spec", yield_time_ms: 30_000 },
    expect: ({ value }) => value.exit_code === 0,
  },
];
