import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mapIndents, Reindenter, usualUnit } from "./reindent.ts";

function mapping(patch: readonly string[], file: readonly string[], start = 0): Record<string, string> | null {
  const found = mapIndents(patch, { lines: file, start });
  return found === null ? null : Object.fromEntries(found.known);
}

Deno.test("indentations of the patch map one-to-one to those of the file", () => {
  deepStrictEqual(mapping(["a", "  b", "    c"], ["a", "    b", "        c"]), {
    "": "",
    "  ": "    ",
    "    ": "        ",
  });
  deepStrictEqual(mapping(["  b", "  c"], ["x", "\tb", "\tc"], 1), { "  ": "\t" });
  strictEqual(mapping(["  a", "  b"], [" a", "    b"]), null);
  strictEqual(mapping([" a", "  b"], ["  a", "  b"]), null);
  strictEqual(mapping(["a", "  b", "    c"], ["  a", "    b", "    c"]), null);
});

Deno.test("blank lines say nothing about indentation", () => {
  deepStrictEqual(mapping(["  a", "", "  b"], ["    a", "\t\t", "    b"]), { "  ": "    " });
  deepStrictEqual(mapping(["      ", "  b"], ["", "    b"]), { "  ": "    " });
});

Deno.test("what is deeper in the patch must be deeper in the file", () => {
  strictEqual(mapping(["a", "  b"], ["    a", "  b"]), null);
  // A tab is as wide as four blanks, so these two are one depth.
  strictEqual(mapping(["a", "  b"], ["    a", "\tb"]), null);
  strictEqual(mapping(["\ta", "    b"], ["  a", "    b"]), null);
  deepStrictEqual(mapping(["  b", "a"], ["    b", "  a"]), { "  ": "    ", "": "  " });
  deepStrictEqual(mapping(["a", "  b"], ["    a", "      b"]), { "": "    ", "  ": "      " });
});

interface Case {
  readonly rule: string;
  readonly known: Record<string, string>;
  readonly hunk?: readonly string[];
  readonly unit?: string;
  readonly lines: readonly (readonly [line: string, becomes: string])[];
}

const CASES: readonly Case[] = [
  {
    rule: "a known indentation becomes that of the file",
    known: { "  ": "\t", "    ": "\t\t" },
    lines: [["  x", "\tx"], ["    x", "\t\tx"]],
  },
  { rule: "blank lines stay as they are", known: { "  ": "\t" }, lines: [["", ""], ["  ", "  "]] },
  {
    rule: "a deeper one is reckoned from the nearest by the unit that two known depths show",
    known: { "": "", "  ": "    " },
    lines: [["    x", "        x"], ["      x", "            x"]],
  },
  {
    rule: "of several steps the smallest shows the unit",
    known: { "": "", "        ": "\t\t", "          ": "\t\t  " },
    lines: [["            x", "\t\t    x"]],
  },
  {
    rule: "the first of two equal steps shows the unit",
    known: { "": "", "  ": "\t", "    ": "\t  " },
    lines: [["      x", "\t  \tx"]],
  },
  {
    rule: "a step that does not go on from the shallower indentation shows no unit",
    known: { " ": "  ", "   ": "\t" },
    hunk: [" a", "   b"],
    unit: "--",
    lines: [["     x", "\t--x"]],
  },
  {
    rule: "with one known depth the unit is the file's, a step the smallest of the hunk",
    known: { "": "    " },
    hunk: ["a", "   b", "      c", "            d"],
    unit: "\t",
    lines: [["   x", "    \tx"], ["      x", "    \t\tx"], ["    x", "    \t x"]],
  },
  {
    rule: "with one depth in the hunk a step is 4 columns",
    known: { "  ": "" },
    hunk: ["  a", "", "  b"],
    unit: "\t",
    lines: [["      x", "\tx"], ["          x", "\t\tx"], ["   x", " x"]],
  },
  {
    rule: "a shallower one loses units",
    known: { "    ": "\t\t", "      ": "\t\t\t" },
    lines: [["  x", "\tx"], ["x", "x"]],
  },
  {
    rule: "a shallower one whose file indentation ends in something else loses as many characters",
    known: { "    ": "   \t ", "      ": "   \t   " },
    lines: [["  x", "   x"], ["x", " x"]],
  },
  {
    rule: "no shallower than nothing",
    known: { "      ": "    " },
    hunk: ["      a", "    b"],
    unit: "    ",
    lines: [["x", "x"], ["  x", "x"]],
  },
  {
    rule: "columns that are no whole step stay as blanks",
    known: { "": "", "    ": "\t" },
    lines: [["      x", "\t  x"], ["  x", "  x"], ["   x", "   x"]],
  },
  {
    rule: "of two equally near depths the first of the hunk counts",
    known: { "  ": "\t", "      ": "    \t\t" },
    hunk: ["  a", "      b"],
    unit: "--",
    lines: [["    x", "\t-x"]],
  },
  {
    rule: "half a step is half of what the file has for it, where that is made of one sign",
    known: { "": "", "    ": "\t\t" },
    lines: [["  x", "\tx"], ["   x", "   x"], ["      x", "\t\t\tx"]],
  },
  {
    rule: "half a step of mixed signs stays as blanks",
    known: { "": "", "    ": "\t " },
    lines: [["  x", "  x"]],
  },
  {
    rule: "with one depth in other signs than the file's both sides have as many levels",
    known: { "      ": "\t\t\t" },
    hunk: ["      a", "      b"],
    unit: "\t",
    lines: [["    x", "\t\tx"], ["        x", "\t\t\t\tx"]],
  },
  {
    rule: "with one depth in other signs the file's unit may be several signs long",
    known: { "\t": "    " },
    hunk: ["\ta"],
    unit: "  ",
    lines: [["\t\tx", "        x"]],
  },
  {
    rule: "with one depth in other signs a level of the patch may be one column",
    known: { " ": "\t" },
    hunk: [" a", "   b"],
    unit: "\t",
    lines: [["   x", "\t\t\tx"]],
  },
  {
    rule: "one depth that in the file is no whole number of units shows no level: the step is the hunk's",
    known: { "    ": "\t" },
    hunk: ["    a", "      b"],
    unit: "  ",
    lines: [["        x", "\t    x"]],
  },
  {
    rule: "with one depth that begins with the same sign on both sides the step is the hunk's",
    known: { " ": "  " },
    hunk: [" a", "   b"],
    unit: "  ",
    lines: [["   x", "    x"]],
  },
  {
    rule: "with one depth that is a single sign in the file, the same as in the patch, the step is the hunk's",
    known: { "    ": " " },
    hunk: ["    a", "      b"],
    unit: " ",
    lines: [["      x", "  x"]],
  },
  {
    rule: "several depths that show no unit do not show one each either: the step is the hunk's",
    known: { "  ": "\t", "   ": "    \t" },
    hunk: ["  a", "   b"],
    unit: "\t",
    lines: [["     x", "    \t\t\tx"]],
  },
  {
    rule: "without any known depth indentation is reckoned from none",
    known: {},
    hunk: ["a", "  b"],
    unit: "\t",
    lines: [["x", "x"], ["  x", "\tx"], ["    x", "\t\tx"]],
  },
  {
    rule: "which depth is nearest is a matter of the patch, not of the file",
    known: { "": "", "    ": "\t", "            ": "\t   " },
    lines: [["       x", "\t   x"]],
  },
  {
    rule: "depths show a unit however deep the file is",
    known: { "": "\t\t", "    ": "\t\t\t" },
    lines: [["        x", "\t\t\t\tx"]],
  },
  {
    rule: "depths show a unit also where the hunk begins with the deeper one",
    known: { "    ": "\t\t", "": "\t" },
    lines: [["        x", "\t\t\tx"]],
  },
  {
    rule: "a smaller step shows the unit although a larger one came before",
    known: { "": "", "        ": "\t\t", "          ": "\t\t\t" },
    lines: [["            x", "\t\t\t\tx"]],
  },
];

for (const { rule, known, hunk = [], unit = "?", lines } of CASES) {
  Deno.test(`Reindenter: ${rule}`, () => {
    const reindenter = new Reindenter({ known: new Map(Object.entries(known)) }, {
      patchLines: hunk,
      fileUnit: () => unit,
    });
    deepStrictEqual(lines.map(([line]) => reindenter.apply(line)), lines.map(([, becomes]) => becomes));
  });
}

Deno.test("the file is asked for its unit only where the hunk does not show it", () => {
  const never = () => {
    throw new Error("asked");
  };
  new Reindenter({ known: new Map([["", ""], ["  ", "\t"]]) }, { patchLines: [], fileUnit: never });
});

Deno.test("the usual unit of a file is the most frequent growth from one line to the next", () => {
  strictEqual(usualUnit(["a", "\tb", "\t\tc", "d", "  e"]), "\t");
  strictEqual(usualUnit(["a", "  b", "c", "  d", "e", "\tf"]), "  ");
  strictEqual(usualUnit(["a", "\tb", "c", "  d"]), "\t");
  // Blank lines and lines that grow by other characters count as nothing.
  strictEqual(usualUnit(["a", "   ", "\tb", "\t\tc"]), "\t");
  strictEqual(usualUnit(["  a", "\tb", "\tc"]), "  ");
  strictEqual(usualUnit(["a", "\tb", "c", "  d", "e", "  f"]), "  ");
  strictEqual(usualUnit(["a", "  b", "    c", "\td", "\t    e"]), "  ");
  strictEqual(usualUnit(["  a", "\t  b"]), "  ");
  strictEqual(usualUnit(["\ta", "  \tb", "\tc", "  \td"]), "\t");
  // Only what is added to the line before counts, not its whole indentation.
  strictEqual(usualUnit(["\t\ta", "\t\t\tb", "\t\t\t\tc"]), "\t");
  strictEqual(usualUnit(["a", "b", ""]), "    ");
  strictEqual(usualUnit([]), "    ");
});

Deno.test("5,000 lines of a file are enough to see how it is indented", () => {
  const file = [...Array(4_998).fill("a"), "a", "\tb", "\t  c", "a", "  d", "a", "  e"];
  strictEqual(usualUnit(file), "\t");
  strictEqual(usualUnit(file.slice(1)), "\t");
  strictEqual(usualUnit([...Array(5_000).fill("a"), "\tb"]), "    ");
  strictEqual(usualUnit([...Array(4_999).fill("a"), "\tb"]), "\t");
});
