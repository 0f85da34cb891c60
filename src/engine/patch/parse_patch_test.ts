import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ToolError } from "../../base/tool_error.ts";
import { parsePatch } from "./parse_patch.ts";
import type { Hunk, ParsedPatch } from "./parsed_patch.ts";

const FORM =
  "*** Begin Patch / *** Add File: <path> / *** Update File: <path> / *** Delete File: <path> / *** End Patch";

function inEnvelope(...lines: string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

/** A hunk as text: scopes, then the lines with their kinds, `~` for a bare empty line, `$` for the end of the file. */
function hunkText({ scopes, lines, atEndOfFile, patchLine }: Hunk): string {
  const kinds = { context: " ", removed: "-", added: "+" };
  const shown = lines.map((line) => line.isBare ? "~" : kinds[line.kind] + line.text);
  return `${patchLine} ${scopes.map((scope) => `@${scope}`).join("")}|${shown.join("|")}${atEndOfFile ? "|$" : ""}`;
}

function operationText(operation: ParsedPatch["operations"][number]): string {
  const { kind, path, patchLine } = operation;
  const head = `${patchLine} ${kind} ${path}`;
  if (operation.kind === "add") return [head, ...operation.lines].join("|");
  if (operation.kind === "delete") return head;
  return [operation.moveTo === null ? head : `${head} > ${operation.moveTo}`, ...operation.hunks.map(hunkText)].join(
    "\n",
  );
}

function parsed(text: string): { operations: string[]; notes: readonly string[] } {
  const { operations, notes } = parsePatch(text);
  return { operations: operations.map(operationText), notes };
}

function fault(text: string): ToolError {
  try {
    parsePatch(text);
  } catch (error) {
    ok(error instanceof ToolError);
    strictEqual(error.code, "PATCH_FAILED");
    return error;
  }
  throw new Error("accepted");
}

Deno.test("an envelope holds operations in order, with the lines they start on", () => {
  const text = inEnvelope(
    "*** Add File: a.txt",
    "+one",
    "+",
    "*** Delete File:  b b.txt ",
    "",
    "*** Update File: c.txt",
    "*** Move to: d.txt",
    "@@ class A",
    "@@ f() @@",
    " x",
    "-y",
    "+z",
    "",
    "@@",
    "+last",
    "*** End of File",
  );
  deepStrictEqual(parsed(text), {
    operations: [
      "2 add a.txt|one|",
      "5 delete b b.txt",
      "7 update c.txt > d.txt\n9 @class A@f()| x|-y|+z|~\n15 |+last|$",
    ],
    notes: [],
  });
});

Deno.test("CR before LF, a byte order mark and blanks around the envelope's own lines do not matter", () => {
  deepStrictEqual(
    parsed("\ufeff\n \n  *** Begin Patch \r\n*** Delete File: a\r\n\r\n*** End Patch \r\n\n").operations,
    [
      "4 delete a",
    ],
  );
  deepStrictEqual(parsed("*** Begin Patch\n*** Add File: a\n+x\r\n+y\r\r\n*** End Patch").operations, [
    "2 add a|x|y\r",
  ]);
});

Deno.test("a fence or here-document around the patch is left out with a note", () => {
  const inner = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
  const note = (first: string) => [`patch line 1: ignored ${JSON.stringify(first)} around the patch`];
  for (const [open, close] of [["```", "```"], ["```diff", "```"], ["~~~", "~~~"], ["~~~a-b", "~~~"]] as const) {
    deepStrictEqual(parsed(`${open}\n${inner}${close}\n`).notes, note(open));
    deepStrictEqual(parsed(`${open}\n\n${inner}\n${close}\n\n`).operations, ["4 delete a"]);
  }
  for (
    const [open, close] of [
      ["apply_patch <<'EOF'", "EOF"],
      ["cat > p <<-END", "END"],
      ['<<"X"', "X"],
      ["<< PATCH", "PATCH"],
      ["apply_patch << 'EOF'", "EOF"],
      ["cat<<EOF", "EOF"],
    ] as const
  ) {
    deepStrictEqual(parsed(`${open}\n${inner}${close}\n`).notes, note(open), open);
  }
  // What closes nothing is text behind the end.
  strictEqual(fault(`\`\`\`\n${inner}~~~\n`).details["line"], 5);
  strictEqual(fault(`<<A\n${inner}EOF\n`).details["line"], 5);
  deepStrictEqual(parsed(`${inner}EOF\n`).notes, []);
  strictEqual(fault(`echo <<EOF\n${inner}EOF\n`).details["line"], 1);
  strictEqual(fault(`catalog <<EOF\n${inner}EOF\n`).details["line"], 1);
  strictEqual(fault(`\`\`\`a b\n${inner}`).details["line"], 1);
  strictEqual(fault(`x<<EOF y\n${inner}EOF\n`).details["line"], 1);
  strictEqual(fault(`x \`\`\`\n${inner}`).details["line"], 1);
  strictEqual(fault(`cat <<EOF y\n${inner}EOF\n`).details["line"], 1);
  strictEqual(fault(`cat <<\n${inner}`).details["line"], 1);
});

Deno.test("blanks around the lines that follow the end of an envelope do not matter", () => {
  const inner = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
  deepStrictEqual(parsed(`\`\`\`\n${inner}  \`\`\` \n`).operations, ["3 delete a"]);
  deepStrictEqual(parsed(`${inner} EOF \n`).operations, ["2 delete a"]);
  deepStrictEqual(parsed(`${inner}\t\n  *** Begin Patch \n*** Delete File: b\n*** End Patch\n`).operations, [
    "2 delete a",
    "6 delete b",
  ]);
});

Deno.test("a second envelope is part of the same patch, with a note", () => {
  const one = (path: string) => `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch\n`;
  deepStrictEqual(parsed(`${one("a")}\n${one("b")}`), {
    operations: ["2 delete a", "6 delete b"],
    notes: ["patch line 5: a second envelope was applied together with the first"],
  });
  strictEqual(fault(`${one("a")}text\n${one("b")}`).details["line"], 4);
});

Deno.test("names and marks of a unified diff are left out with a note, where they cannot be lines of the file", () => {
  const update = (...lines: string[]) => parsed(inEnvelope("*** Update File: f", ...lines));
  deepStrictEqual(update("--- a/f", "+++ b/f", "@@", "-x", "+y"), {
    operations: ["2 update f\n5 |-x|+y"],
    notes: ["patch line 3: ignored the file names of a unified diff"],
  });
  deepStrictEqual(update("--- a/f", "+++ b/f", "-x").operations, ["2 update f\n3 |--- a/f|+++ b/f|-x"]);
  deepStrictEqual(update("--- a", "-x", "@@", "+y").operations, ["2 update f\n3 |--- a|-x\n5 |+y"]);
  deepStrictEqual(update("+++ a", "+++ b", "@@", "+y").operations, ["2 update f\n3 |+++ a|+++ b\n5 |+y"]);
  const noNewline = 'ignored "\\ No newline at end of file"; the end of the file stays as it is';
  deepStrictEqual(update("-x", "+y", "\\ No newline at end of file"), {
    operations: ["2 update f\n3 |-x|+y"],
    notes: [`patch line 5: ${noNewline}`],
  });
  deepStrictEqual(parsed(inEnvelope("*** Add File: f", "+x", "\\ No newline at end of file")), {
    operations: ["2 add f|x"],
    notes: [`patch line 4: ${noNewline}`],
  });
  deepStrictEqual(parsed(inEnvelope("*** Add File: f", "@@ -0,0 +1 @@", "+x", "*** End of File ")), {
    operations: ["2 add f|x"],
    notes: [
      'patch line 3: ignored "@@ -0,0 +1 @@" in an added file',
      'patch line 5: ignored "*** End of File " in an added file',
    ],
  });
});

Deno.test("what git writes above the names of a unified diff is left out with them, and nothing that only resembles it", () => {
  const names = ["--- a/f", "+++ b/f", "@@", "-x"];
  const above = (...lines: string[]) => inEnvelope("*** Update File: f", ...lines, ...names);
  const git = ["diff --git a/f b/f", "old mode 100644", "new mode 100755", "index 1a2b..3c4d"];
  deepStrictEqual(parsed(above(...git)), {
    operations: ["2 update f\n9 |-x"],
    notes: ["patch line 3: ignored the file names of a unified diff"],
  });
  deepStrictEqual(parsed(above("index 1a2b..3c4d 100644")).operations, ["2 update f\n6 |-x"]);
  // With a mark of its own it is a line of the file.
  deepStrictEqual(parsed(above(" diff --git a/f b/f")).operations, [
    "2 update f\n3 | diff --git a/f b/f|--- a/f|+++ b/f\n6 |-x",
  ]);
  for (const line of ["index ..1", "index 1..", "old mode ", "old mode x", "new mode 100644 x"]) {
    strictEqual(fault(above(line)).details["line"], 3, line);
  }
});

Deno.test("an added file may begin with a hunk header, which is left out with a note, and with no other line", () => {
  deepStrictEqual(parsed(inEnvelope("*** Add File: f", "@@ f()", "+x")), {
    operations: ["2 add f|x"],
    notes: ['patch line 3: ignored "@@ f()" in an added file'],
  });
  strictEqual(fault(inEnvelope("*** Add File: f", "x @@", "+x")).details["line"], 3);
  strictEqual(fault(inEnvelope("*** Add File: f", "x", "+x")).details["line"], 3);
});

Deno.test("the next header begins a hunk whatever follows its @@, and a line that ends in @@ does not", () => {
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "-x @@", "+y", "@@ f()", "-z")).operations, [
    "2 update f\n3 |-x @@|+y\n5 @f()|-z",
  ]);
});

Deno.test("the text after @@ is a scope, unless it is a position or dots", () => {
  const scopesOf = (header: string) => {
    const [operation] = parsePatch(inEnvelope("*** Update File: f", header, "+x")).operations;
    return operation?.kind === "update" ? operation.hunks[0]?.scopes : null;
  };
  for (
    const header of [
      "@@",
      "@@ ",
      "@@ @@",
      "@@ -1 +1 @@",
      "@@ -1,2 +3,4 @@",
      "@@ -1,2 +3 @@ f()",
      "@@ -1 +1",
      "@@ -1 +1@@",
    ]
  ) {
    deepStrictEqual(scopesOf(header), [], header);
  }
  for (const header of ["@@ ..", "@@ ...", "@@ … @@", "@@ .... @@"]) deepStrictEqual(scopesOf(header), [], header);
  for (
    const [header, scope] of [
      ["@@ a", "a"],
      ["@@a@@", "a"],
      ["@@  a b  @@ ", "a b"],
      ["@@ .", "."],
      ["@@ ..x", "..x"],
      ["@@ x..", "x.."],
      ["@@ -1 +1 a", "-1 +1 a"],
      ["@@ x -1 +1 @@", "x -1 +1"],
      ["@@ -a +1 @@", "-a +1"],
      ["@@ -1,a +1 @@", "-1,a +1"],
    ] as const
  ) deepStrictEqual(scopesOf(header), [scope], header);
});

Deno.test("an empty line is an empty context line, but none between operations or before the end", () => {
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "-x", "", "+y", "")).operations, [
    "2 update f\n3 |-x|~|+y|~",
  ]);
  const [operation] = parsePatch(inEnvelope("*** Update File: f", "-x", "")).operations;
  deepStrictEqual(operation?.kind === "update" ? operation.hunks[0]?.lines[1] : null, {
    kind: "context",
    text: "",
    isBare: true,
  });
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "@@", "-x", "*** End of File", "", "")).operations, [
    "2 update f\n3 |-x|$",
  ]);
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "", "*** Move to: g", "")).operations.length, 1);
  deepStrictEqual(parsed(inEnvelope("*** Add File: f", "+x", "", "", "*** Delete File: g")).operations, [
    "2 add f|x",
    "6 delete g",
  ]);
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "", "", "*** Delete File: g")).operations, [
    "2 update f",
    "5 delete g",
  ]);
  deepStrictEqual(parsed(inEnvelope("  ", "*** Delete File: g", "\t")).operations, ["3 delete g"]);
});

Deno.test("a move may stand before the hunks or behind them", () => {
  deepStrictEqual(
    parsed(inEnvelope("*** Update File: f", "-x", "*** Move to:  g ", "", "*** Delete File: h")).operations,
    [
      "2 update f > g\n3 |-x",
      "6 delete h",
    ],
  );
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "*** Move to: g")).operations, ["2 update f > g"]);
});

Deno.test("a hunk goes on after the mark of the end of the file without a header", () => {
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "-x", "*** End of File", "+y")).operations, [
    "2 update f\n3 |-x|$\n5 |+y",
  ]);
  deepStrictEqual(parsed(inEnvelope("*** Update File: f", "-x", "*** End of File ")).operations, [
    "2 update f\n3 |-x|$",
  ]);
});

interface Refusal {
  readonly name: string;
  readonly text: string;
  readonly line: number;
  readonly fact: string;
  readonly form: string;
}

const long = "x".repeat(81);

const REFUSALS: readonly Refusal[] = [
  { name: "nothing", text: "", line: 2, fact: "the patch is empty", form: FORM },
  { name: "blank lines", text: " \n\n", line: 4, fact: "the patch is empty", form: FORM },
  { name: "a fence around nothing", text: "```\n", line: 3, fact: "the patch is empty", form: FORM },
  { name: "no begin", text: "hello\n", line: 1, fact: 'expected "*** Begin Patch", found "hello"', form: FORM },
  {
    name: "line breaks as backslash and n",
    text: "*** Begin Patch\\n*** Delete File: a\\n*** End Patch",
    line: 1,
    fact: "its line breaks are written as backslash and n",
    form: "send real line breaks in the JSON string",
  },
  ...["diff --git a/x b/x", "--- a/x", "Index: x"].map((first) => ({
    name: `a unified diff: ${first}`,
    text: `${first}\n`,
    line: 1,
    fact: 'a unified diff starts here instead of "*** Begin Patch"',
    form: FORM,
  })),
  {
    name: "a diff that begins later",
    text: "a --- b",
    line: 1,
    fact: 'expected "*** Begin Patch", found "a --- b"',
    form: FORM,
  },
  {
    name: "no end",
    text: "*** Begin Patch\n*** Delete File: a\n",
    line: 3,
    fact: 'the patch ends without "*** End Patch"',
    form: "close it with the line *** End Patch",
  },
  {
    name: "no end and no line break",
    text: "*** Begin Patch\n*** Delete File: a",
    line: 3,
    fact: 'the patch ends without "*** End Patch"',
    form: "close it with the line *** End Patch",
  },
  ...([
    ["an added file", "*** Add File: a\n+x"],
    ["a hunk", "*** Update File: a\n-x"],
    ["blank lines below a path", "*** Update File: a\n\n"],
  ] as const).map(([name, lines]) => ({
    name: `no end behind ${name}`,
    text: `*** Begin Patch\n${lines}`,
    line: 4,
    fact: 'the patch ends without "*** End Patch"',
    form: "close it with the line *** End Patch",
  })),
  {
    name: "text behind the end",
    text: `${inEnvelope("*** Delete File: a")}\nmore\n`,
    line: 5,
    fact: 'text after "*** End Patch": "more"',
    form: "end the patch with *** End Patch",
  },
  {
    name: "a missing path",
    text: inEnvelope("*** Delete File: "),
    line: 2,
    fact: "the path is missing",
    form: "*** Update File: <path relative to the workspace>",
  },
  {
    name: "a missing new path",
    text: inEnvelope("*** Update File: a", "*** Move to:"),
    line: 3,
    fact: "the path is missing",
    form: "*** Update File: <path relative to the workspace>",
  },
  {
    name: "lines below a deletion",
    text: inEnvelope("*** Delete File: a", "-x"),
    line: 3,
    fact: '*** Delete File: takes no lines, found "-x"',
    form: "leave the file's lines out",
  },
  {
    name: "a line of an added file without its mark",
    text: inEnvelope("*** Add File: a", "+x", " y"),
    line: 4,
    fact: 'every line of an added file starts with "+", found " y"',
    form: "+ y",
  },
  {
    name: "a hunk header inside an added file",
    text: inEnvelope("*** Add File: a", "+x", "@@"),
    line: 4,
    fact: 'every line of an added file starts with "+", found "@@"',
    form: "+@@",
  },
  {
    name: "an empty line inside an added file",
    text: inEnvelope("*** Add File: a", "+x", "", "+y"),
    line: 4,
    fact: 'every line of an added file starts with "+", found ""',
    form: "+",
  },
  {
    name: "a second move",
    text: inEnvelope("*** Update File: a", "*** Move to: b", "-x", "*** Move to: c"),
    line: 5,
    fact: 'a second "*** Move to:" for one file',
    form: "one *** Move to: <path> per file",
  },
  {
    name: "a header without lines",
    text: inEnvelope("*** Update File: a", "@@ x", "*** Delete File: b"),
    line: 3,
    fact: "a hunk without lines",
    form: 'lines that start with " ", "-" or "+" after the @@ line',
  },
  {
    name: "a hunk line without its mark",
    text: inEnvelope("*** Update File: a", "@@", "x"),
    line: 4,
    fact: 'a hunk line starts with " ", "-" or "+", found "x"',
    form: '" x" for a context line',
  },
  {
    name: "a long line, which is shown shortened",
    text: inEnvelope("*** Update File: a", "@@", long),
    line: 4,
    fact: `a hunk line starts with " ", "-" or "+", found "${"x".repeat(80)}…"`,
    form: `" ${long}" for a context line`,
  },
  {
    name: "a line of 80 characters, which is shown whole",
    text: inEnvelope("x".repeat(80)),
    line: 2,
    fact: `Unrecognized patch line "${"x".repeat(80)}"`,
    form: FORM,
  },
  ...([
    ["create file", "*** Add File: <path>"],
    ["New File: x", "*** Add File: <path>"],
    ["add: x", "*** Add File: <path>"],
    ["write x", "*** Add File: <path>"],
    ["remove x", "*** Delete File: <path>"],
    ["delete x", "*** Delete File: <path>"],
    ["move x", "*** Update File: <old path>, and on the next line *** Move to: <new path>"],
    ["rename x", "*** Update File: <old path>, and on the next line *** Move to: <new path>"],
    ["update x", "*** Update File: <path>"],
    ["modify x", "*** Update File: <path>"],
    ["edit x", "*** Update File: <path>"],
    ["change x", "*** Update File: <path>"],
    ["exchange x", FORM],
    ["address x", FORM],
    ["removed x", FORM],
    ["remover x", FORM],
    ["deleted x", FORM],
    ["moved x", FORM],
    ["updated x", FORM],
    ["added x", FORM],
    ["unmove x", FORM],
    ["undelete x", FORM],
    ["*** Copy x", `${FORM}; a file line that starts with *** needs a leading " ", "-" or "+"`],
  ] as const).map(([line, form]) => ({
    name: `an unknown line: ${line}`,
    text: inEnvelope(line),
    line: 2,
    fact: `Unrecognized patch line ${JSON.stringify(line)}`,
    form,
  })),
  {
    name: "an unknown marker in a hunk",
    text: inEnvelope("*** Update File: a", "-x", "*** Rename to: b"),
    line: 4,
    fact: 'Unrecognized patch line "*** Rename to: b"',
    form: "*** Update File: <old path>, and on the next line *** Move to: <new path>",
  },
];

for (const { name, text, line, fact, form } of REFUSALS) {
  Deno.test(`a patch is refused with line, fact and right form: ${name}`, () => {
    const { message, details } = fault(text);
    strictEqual(message, `Cannot read the patch: line ${line}: ${fact}`);
    deepStrictEqual(details, { line, expected: form, retry_hint: `Right form: ${form}` });
  });
}

Deno.test("an envelope without operations changes nothing and says so", () => {
  const { message, details } = fault(inEnvelope());
  strictEqual(message, "Cannot apply the patch: No files were modified.");
  deepStrictEqual(details, { retry_hint: "Put at least one operation between *** Begin Patch and *** End Patch" });
});
