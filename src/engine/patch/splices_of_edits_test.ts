import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ToolError } from "../../base/tool_error.ts";
import { type LineEdit, splicesOfEdits } from "./line_edits.ts";
import type { Splice, TextLines } from "./text_lines.ts";

/** Three lines and the empty element behind the last line break. */
const FILE: TextLines = { hasBom: false, lines: ["a", "b", "c", ""], crlf: null };

function splices(edits: readonly LineEdit[]): Splice[] {
  return splicesOfEdits(FILE, edits, { path: "f", changeIndex: 4 });
}

function spans(...edits: LineEdit[]): string {
  return splices(edits).map(({ start, end, lines }) => {
    return `${start}-${end}:${
      lines.map((line) => line.kind === "new" ? `${line.text}(${line.replaces ?? ""})` : "kept").join(",")
    }`;
  }).join(" ");
}

function fault(...edits: LineEdit[]): ToolError {
  try {
    splices(edits);
  } catch (error) {
    ok(error instanceof ToolError);
    return error;
  }
  throw new Error("accepted");
}

Deno.test("each operation takes the lines it names, counted from 1", () => {
  strictEqual(spans({ op: "replace", start_line: 2, end_line: 3, content: "x\ny\nz" }), "1-3:x(1),y(2),z()");
  strictEqual(spans({ op: "replace", start_line: 1, content: "x" }), "0-1:x(0)");
  strictEqual(spans({ op: "replace", line: 3, content: "x\r\ny\r" }), "2-3:x(2),y()");
  strictEqual(spans({ op: "replace", line: 2, end_line: 2, content: "" }), "1-2:");
  strictEqual(spans({ op: "delete", start_line: 1, end_line: 3 }), "0-3:");
  strictEqual(spans({ op: "insert_after", line: 0, content: "x" }), "0-0:x()");
  strictEqual(spans({ op: "insert_after", line: 3, content: "x" }), "3-3:x()");
  strictEqual(spans({ op: "insert_before", line: 1, content: "x" }), "0-0:x()");
  strictEqual(spans({ op: "insert_before", line: 4, content: "x\n" }), "3-3:x(),()");
  strictEqual(spans({ op: "insert_before", start_line: 2, content: "x" }), "1-1:x()");
  strictEqual(spans({ op: "insert_after", line: 2, start_line: 2, end_line: 2, content: "x" }), "2-2:x()");
});

Deno.test("edits are sorted, and an insertion at the edge of a replaced range is no overlap", () => {
  strictEqual(
    spans(
      { op: "replace", start_line: 3, content: "C" },
      { op: "insert_after", line: 2, content: "x" },
      { op: "delete", line: 2 },
      { op: "insert_before", line: 2, content: "y" },
    ),
    "1-1:y() 1-2: 2-2:x() 2-3:C(2)",
  );
});

const NAME = "changes[4].edits[0]";

const REFUSALS: readonly (readonly [edit: LineEdit, fact: string])[] = [
  [{ op: "insert_after", line: -1, content: "x" }, "line -1 is before the file; insert_before counts from 1"],
  [{ op: "insert_before", line: 0, content: "x" }, "line 0 is before the file; insert_before counts from 1"],
  [{ op: "insert_before", content: "x" }, "insert_before needs line"],
  [{ op: "insert_after", line: 2, start_line: 3, content: "x" }, "line 2 and 3 contradict each other"],
  [{ op: "insert_after", line: 2, end_line: 1, content: "x" }, "line 2 and 1 contradict each other"],
  [{ op: "replace", content: "x" }, "replace needs start_line"],
  [{ op: "delete", end_line: 2 }, "delete needs start_line"],
  [{ op: "replace", start_line: 0, content: "x" }, "lines are counted from 1"],
  [{ op: "delete", line: 0 }, "lines are counted from 1"],
  [{ op: "replace", start_line: 3, end_line: 2, content: "x" }, "end_line 2 is before start_line 3"],
  [{ op: "replace", line: 2, start_line: 1, content: "x" }, "line 2 and start_line 1 contradict each other"],
  [
    { op: "replace", line: 2, end_line: 3, content: "x" },
    "line 2 and end_line 3 contradict each other; use start_line and end_line",
  ],
  [{ op: "delete", line: 1, content: "x" }, "delete takes no content"],
  [{ op: "replace", line: 1 }, "replace needs content"],
  [{ op: "insert_after", line: 1 }, "insert_after needs content"],
  [{ op: "replace", line: 1, content: "\ud800" }, "content holds half of a surrogate pair, which is no character"],
];

for (const [edit, fact] of REFUSALS) {
  Deno.test(`an edit is refused: ${fact} (${edit.op})`, () => {
    const { code, message, details } = fault(edit);
    deepStrictEqual([code, message], ["INVALID_ARGUMENT", `Cannot use ${NAME}: ${fact}`]);
    deepStrictEqual(details, { field: NAME, change_index: 4, edit_index: 0, retry_hint: fact });
  });
}

Deno.test("a line past the end is refused with what to read instead", () => {
  for (
    const [edit, line] of [
      [{ op: "insert_after", line: 4, content: "x" }, 4],
      [{ op: "insert_before", line: 5, content: "x" }, 5],
      [{ op: "replace", start_line: 4, content: "x" }, 4],
      [{ op: "delete", start_line: 1, end_line: 4 }, 4],
    ] as const
  ) {
    const error = fault(edit);
    strictEqual(error.message, `Cannot use ${NAME}: line ${line} is past the end, f has 3 lines`);
    deepStrictEqual([error.code, error.retryable], ["INVALID_ARGUMENT", true]);
    deepStrictEqual(error.details, {
      path: "f",
      total_lines: 3,
      change_index: 4,
      edit_index: 0,
      operation: edit.op,
      requested: line,
      retry_hint: "Read the end of the file and use its line numbers",
      next_action: { tool: "read_file", arguments: { path: "f", start_line: 1, line_numbers: true } },
    });
  }
  const long: TextLines = { hasBom: false, lines: Array(50).fill("x"), crlf: null };
  try {
    splicesOfEdits(long, [{ op: "delete", line: 51 }], { path: "f", changeIndex: 0 });
  } catch (error) {
    const action = (error as ToolError).details["next_action"] as { arguments: Record<string, unknown> };
    strictEqual(action.arguments["start_line"], 10);
  }
});

Deno.test("edits that address the same lines are refused with both their numbers", () => {
  const overlapOf = (...edits: LineEdit[]) => {
    const { code, message, details } = fault(...edits);
    return [code, message, details["edit_indexes"]];
  };
  const error = (first: number, second: number) => [
    "PATCH_HUNKS_OVERLAP",
    `Cannot edit f: edits ${first} and ${second} address the same lines`,
    [first, second],
  ];
  const replace = (start_line: number, end_line: number): LineEdit => ({
    op: "replace",
    start_line,
    end_line,
    content: "x",
  });
  deepStrictEqual(overlapOf(replace(1, 2), replace(2, 3)), error(0, 1));
  deepStrictEqual(overlapOf(replace(2, 3), replace(1, 2)), error(0, 1));
  deepStrictEqual(overlapOf(replace(1, 1), { op: "delete", line: 1 }), error(0, 1));
  deepStrictEqual(overlapOf(replace(1, 3), { op: "insert_after", line: 1, content: "y" }), error(0, 1));
  const insert = (line: number): LineEdit => ({ op: "insert_after", line, content: "y" });
  deepStrictEqual(overlapOf(insert(2), replace(1, 1), insert(2)), error(0, 2));
  deepStrictEqual(overlapOf(replace(3, 3), { op: "insert_before", line: 1, content: "y" }, insert(0)), error(1, 2));
  strictEqual(spans(replace(1, 1), replace(2, 2), insert(1)), "0-1:x(0) 1-1:y() 1-2:x(1)");
});
