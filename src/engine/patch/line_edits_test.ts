import { strictEqual } from "node:assert/strict";
import { apply, refused, revision } from "../../../tests/support/apply_changes.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import type { LineEdit } from "./line_edits.ts";

interface EditCase {
  readonly name: string;
  readonly before: string;
  readonly edits: LineEdit[];
  readonly after: string;
  readonly counts?: string;
}

const EDITS: readonly EditCase[] = [
  {
    name: "one line is replaced",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", start_line: 2, content: "B" }],
    after: "a\nB\nc\n",
    counts: "+1 -1 2-2",
  },
  {
    name: "line alone names one line",
    before: "a\nb\n",
    edits: [{ op: "replace", line: 2, content: "B" }],
    after: "a\nB\n",
  },
  {
    name: "a range is replaced by fewer lines",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", start_line: 1, end_line: 2, content: "x" }],
    after: "x\nc\n",
  },
  {
    name: "a range is replaced by more lines",
    before: "a\nb\n",
    edits: [{ op: "replace", start_line: 1, content: "x\ny\nz" }],
    after: "x\ny\nz\nb\n",
  },
  {
    name: "empty content is no line",
    before: "a\nb\n",
    edits: [{ op: "replace", start_line: 1, content: "" }],
    after: "b\n",
    counts: "+0 -1 1-0",
  },
  {
    name: "a final newline in content adds a blank line",
    before: "a\nb\n",
    edits: [{ op: "replace", start_line: 1, content: "x\n" }],
    after: "x\n\nb\n",
  },
  {
    name: "lines are deleted",
    before: "a\nb\nc\n",
    edits: [{ op: "delete", start_line: 1, end_line: 2 }],
    after: "c\n",
  },
  {
    name: "insert_after 0 goes to the top",
    before: "a\n",
    edits: [{ op: "insert_after", line: 0, content: "x" }],
    after: "x\na\n",
  },
  {
    name: "insert_after the last line appends",
    before: "a\n",
    edits: [{ op: "insert_after", line: 1, content: "x" }],
    after: "a\nx\n",
  },
  {
    name: "insert_before total + 1 appends",
    before: "a\nb\n",
    edits: [{ op: "insert_before", line: 3, content: "x" }],
    after: "a\nb\nx\n",
  },
  {
    name: "start_line is an alias for line",
    before: "a\nb\n",
    edits: [{ op: "insert_before", start_line: 2, end_line: 2, content: "x" }],
    after: "a\nx\nb\n",
  },
  {
    name: "numbers are not shifted by other edits",
    before: "1\n2\n3\n4\n",
    edits: [{ op: "delete", line: 1 }, { op: "replace", line: 3, content: "three" }, {
      op: "insert_after",
      line: 4,
      content: "five",
    }],
    after: "2\nthree\n4\nfive\n",
  },
  {
    name: "edits may come in any order",
    before: "1\n2\n3\n",
    edits: [{ op: "replace", line: 3, content: "c" }, { op: "replace", line: 1, content: "a" }],
    after: "a\n2\nc\n",
  },
  {
    name: "an insertion at the edge of a replaced range lands beside it",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", line: 2, content: "B" }, { op: "insert_before", line: 2, content: "x" }, {
      op: "insert_after",
      line: 2,
      content: "y",
    }],
    after: "a\nx\nB\ny\nc\n",
  },
  {
    name: "an unterminated file stays unterminated",
    before: "a\nb",
    edits: [{ op: "insert_after", line: 2, content: "c" }],
    after: "a\nb\nc",
  },
  {
    name: "an empty file gains a terminated line",
    before: "",
    edits: [{ op: "insert_after", line: 0, content: "x" }],
    after: "x\n",
  },
  {
    name: "CRLF in content is a line break like LF",
    before: "a\nb\n",
    edits: [{ op: "replace", line: 1, content: "x\r\ny" }],
    after: "x\ny\nb\n",
  },
  {
    name: "a lone carriage return in content is a character",
    before: "a\n",
    edits: [{ op: "replace", line: 1, content: "x\ry" }],
    after: "x\ry\n",
  },
  {
    name: "replaced lines keep their terminators and added ones take the one above",
    before: "one\r\ntwo\nthree\r\n",
    edits: [{ op: "replace", start_line: 1, content: "1\n1b" }, { op: "insert_after", line: 2, content: "2b" }],
    after: "1\r\n1b\r\ntwo\n2b\nthree\r\n",
  },
  {
    name: "a byte order mark stays in front of line 1",
    before: "\ufefftitle\r\nbody\r\n",
    edits: [{ op: "replace", line: 1, content: "t" }],
    after: "\ufefft\r\nbody\r\n",
  },
  {
    name: "form feed and line separators do not count as line ends",
    before: "a1\x0cpage\nb2\u2028sep\nc3\rd\nMARK here\n",
    edits: [{ op: "replace", line: 4, content: "DONE" }],
    after: "a1\x0cpage\nb2\u2028sep\nc3\rd\nDONE\n",
  },
  {
    name: "dollar sequences are literal",
    before: "total=0\n",
    edits: [{ op: "replace", line: 1, content: "$$ $& $1 $' $` ${x} \\1" }],
    after: "$$ $& $1 $' $` ${x} \\1\n",
  },
  {
    name: "only real differences are counted",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", start_line: 1, end_line: 3, content: "a\nX\nc" }],
    after: "a\nX\nc\n",
    counts: "+1 -1 2-2",
  },
];

for (const { name, before, edits, after, counts } of EDITS) {
  Deno.test(`apply_changes edit: ${name}`, async () => {
    using workspace = new TempWorkspace();
    workspace.write("f.txt", before);
    const report = await apply(workspace, { action: "edit", path: "f.txt", revision: revision(before), edits });
    strictEqual(workspace.read("f.txt"), after);
    strictEqual(report.files[0]?.revision, revision(after));
    if (counts === undefined) return;
    const ranges = report.files[0]?.changedRanges?.map((range) => `${range.startLine}-${range.endLine}`).join();
    strictEqual(`+${report.additions} -${report.removals} ${ranges}`, counts);
  });
}

const BAD_EDITS: readonly (readonly [string, LineEdit[], string])[] = [
  ["end_line before start_line", [{ op: "replace", start_line: 2, end_line: 1, content: "x" }], "INVALID_ARGUMENT"],
  ["line that contradicts start_line", [{ op: "replace", start_line: 1, line: 2, content: "x" }], "INVALID_ARGUMENT"],
  ["line with another end_line", [{ op: "delete", line: 1, end_line: 2 }], "INVALID_ARGUMENT"],
  ["replace without content", [{ op: "replace", line: 1 }], "INVALID_ARGUMENT"],
  ["delete with content", [{ op: "delete", line: 1, content: "x" }], "INVALID_ARGUMENT"],
  ["insert without a line", [{ op: "insert_after", content: "x" }], "INVALID_ARGUMENT"],
  ["insert_before line 0", [{ op: "insert_before", line: 0, content: "x" }], "INVALID_ARGUMENT"],
  [
    "insert with two different lines",
    [{ op: "insert_after", line: 1, start_line: 2, content: "x" }],
    "INVALID_ARGUMENT",
  ],
  ["half a surrogate pair", [{ op: "replace", line: 1, content: "\ud83d" }], "INVALID_ARGUMENT"],
  [
    "two replacements of one line",
    [{ op: "replace", line: 1, content: "x" }, { op: "delete", line: 1 }],
    "PATCH_HUNKS_OVERLAP",
  ],
  ["two insertions at one point", [{ op: "insert_after", line: 1, content: "x" }, {
    op: "insert_before",
    line: 2,
    content: "y",
  }], "PATCH_HUNKS_OVERLAP"],
  ["an insertion inside a replaced range", [{ op: "replace", start_line: 1, end_line: 2, content: "x" }, {
    op: "insert_after",
    line: 1,
    content: "y",
  }], "PATCH_HUNKS_OVERLAP"],
];

for (const [name, edits, code] of BAD_EDITS) {
  Deno.test(`apply_changes refuses ${name}`, async () => {
    using workspace = new TempWorkspace();
    workspace.write("f.txt", "a\nb\n");
    await refused(workspace, [{ action: "edit", path: "f.txt", revision: revision("a\nb\n"), edits }], { code });
  });
}

Deno.test("a line past the end is a retryable INVALID_ARGUMENT that names the number of lines", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\nb");
  const edits: LineEdit[] = [{ op: "replace", start_line: 2, end_line: 3, content: "x" }];
  const fault = await refused(workspace, [{ action: "edit", path: "f.txt", revision: revision("a\nb"), edits }], {
    code: "INVALID_ARGUMENT",
    details: { total_lines: 2, requested: 3, edit_index: 0 },
  });
  strictEqual(fault.retryable, true);
});
