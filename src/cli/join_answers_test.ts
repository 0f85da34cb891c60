import { deepStrictEqual } from "node:assert/strict";
import { joinAnswers } from "./join_answers.ts";

const quiet = { stderr: "", stderr_output_lines: 0, stderr_output_bytes: 0, stderr_omitted_bytes: 0 };

function answer(stdout: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    status: "running",
    stdout,
    stdout_truncated: false,
    stdout_truncated_by: null,
    stdout_output_lines: 1,
    stdout_output_bytes: stdout.length,
    stdout_omitted_bytes: 0,
    ...quiet,
    truncated: false,
    ...more,
  };
}

Deno.test("answers about one command become its end with the output of them all", () => {
  const cut = { stdout_truncated: true, stdout_truncated_by: "bytes", stdout_omitted_bytes: 7, truncated: true };
  const answers = [answer("one\n", cut), answer("two\n", {}), answer("", { status: "exited", exit_code: 3 })];
  deepStrictEqual(joinAnswers(answers), {
    ...answers[2],
    stdout: "one\ntwo\n",
    stdout_truncated: true,
    stdout_truncated_by: "bytes",
    stdout_output_lines: 3,
    stdout_output_bytes: 8,
    stdout_omitted_bytes: 7,
    truncated: true,
  });
});

Deno.test("an answer without output stays as it is, and so does a single one", () => {
  const summary = { status: "exited", exit_code: 0, summary: "no output" };
  deepStrictEqual(joinAnswers([{ status: "running" }, summary]), summary);
  const single = answer("text", { status: "exited" });
  deepStrictEqual(joinAnswers([single]), single);
});
