/** Mutants that survive for a known reason. A survivor that is not here makes `deno task mutate` fail. */

/** Survivors of one file with one reason. */
export interface Explanation {
  readonly file: string;
  /** Why no test can or should notice. */
  readonly why: string;
  /** The line without indentation, and the change as it is printed; `*` stands for every change of the line. */
  readonly mutants: readonly (readonly [code: string, change: string])[];
}

/** Functions and constants that are not changed at all, because any value of what they give would do. */
export const UNCHANGED: readonly { readonly file: string; readonly name: string; readonly why: string }[] = [
  {
    file: "src/engine/patch/line_index.ts",
    name: "traitOf",
    why: "A hash: equal lines have equal ones whatever it mixes; how well it tells lines apart is a matter of speed.",
  },
  { file: "src/engine/patch/line_index.ts", name: "TRAITS", why: "Size of a table of hashes: a matter of speed." },
  ...["line_index", "find_scope", "find_substrings", "text_lines"].map((name) => ({
    file: `src/engine/patch/${name}.ts`,
    name: "PACED_LINES",
    why: "Lines between two looks at the clock: other calls wait a little longer or shorter.",
  })),
];

/** Every survivor that is known, by file in the order of the rooms. */
export const EXPLAINED: readonly Explanation[] = [
  {
    file: "src/engine/output/head_tail_buffer.ts",
    why: "Memory that is reserved at first: no rule, only fewer copies.",
    mutants: [
      ["const FIRST_CAPACITY_BYTES = 4 * 1024;", "4 * 1024 → 4 / 1024"],
      ["const FIRST_CAPACITY_BYTES = 4 * 1024;", "4 → 5"],
      ["const FIRST_CAPACITY_BYTES = 4 * 1024;", "4 → 3"],
      ["const FIRST_CAPACITY_BYTES = 4 * 1024;", "1024 → 1025"],
      ["const FIRST_CAPACITY_BYTES = 4 * 1024;", "1024 → 1023"],
      ["#ring: Uint8Array<ArrayBuffer> = new Uint8Array(0);", "0 → 1"],
    ],
  },
  {
    file: "src/engine/output/head_tail_buffer.ts",
    why: "A buffer that is exactly full still holds everything, so the head may be copied one write early.",
    mutants: [
      [
        "if (end > this.tailLimitBytes && this.#head === null) this.#keepHead(chunk);",
        "end > this.tailLimitBytes → end >= this.tailLimitBytes",
      ],
    ],
  },
  {
    file: "src/engine/output/head_tail_buffer.ts",
    why: "Grown once too often the buffer has the same size and content: only slower.",
    mutants: [
      [
        "this.#grow(Math.min(end, this.tailLimitBytes));",
        "Math.min(end, this.tailLimitBytes) → Math.max(end, this.tailLimitBytes)",
      ],
    ],
  },
  {
    file: "src/engine/output/head_tail_buffer.ts",
    why: "Grown once too often, or by more, the buffer holds the same bytes: only slower or larger.",
    mutants: [
      ["if (neededBytes <= this.#ring.length) return;", "neededBytes <= this.#ring.length → false"],
      [
        "if (neededBytes <= this.#ring.length) return;",
        "neededBytes <= this.#ring.length → neededBytes < this.#ring.length",
      ],
      ["if (neededBytes <= this.#ring.length) return;", "return; → removed"],
      ["while (capacity < neededBytes) capacity *= 2;", "capacity < neededBytes → capacity <= neededBytes"],
      ["while (capacity < neededBytes) capacity *= 2;", "2 → 3"],
      [
        "const larger = new Uint8Array(Math.min(capacity, this.tailLimitBytes));",
        "Math.min(capacity, this.tailLimitBytes) → Math.max(capacity, this.tailLimitBytes)",
      ],
    ],
  },
  {
    file: "src/engine/output/incomplete_suffix.ts",
    why: "Before the first byte there is none, and no character has more than three bytes to come.",
    mutants: [
      [
        "for (let back = 1; back <= Math.min(3, bytes.length); back++) {",
        "Math.min(3, bytes.length) → Math.max(3, bytes.length)",
      ],
      ["for (let back = 1; back <= Math.min(3, bytes.length); back++) {", "3 → 4"],
    ],
  },
  {
    file: "src/engine/output/incomplete_suffix.ts",
    why:
      "No sequence is waited for past the end: there the escape counts as text or is whole, and `characterBoundaryAfter` stops at the end.",
    mutants: [
      [
        "while (at < bytes.length && incompleteEscapeBytes(bytes.subarray(0, at)) > 0) at++;",
        "at < bytes.length && incompleteEscape… → incompleteEscape…",
      ],
      [
        "while (at < bytes.length && incompleteEscapeBytes(bytes.subarray(0, at)) > 0) at++;",
        "at < bytes.length → at <= bytes.length",
      ],
    ],
  },
  {
    file: "src/engine/output/incomplete_suffix.ts",
    why: "A byte behind the end is undefined, which is no final byte.",
    mutants: [
      ["for (let at = start + 2; at < bytes.length; at++) {", "at < bytes.length → at <= bytes.length"],
    ],
  },
  {
    file: "src/engine/output/incomplete_suffix.ts",
    why: "Compared with 1 at the least, 0 and 1 say the same: no byte is missing.",
    mutants: [
      ["return lead <= 0xf4 ? 4 : 1;", "1 → 0"],
    ],
  },
  {
    file: "src/engine/output/read_page.ts",
    why: "One byte more is read and not served.",
    mutants: [
      ["const range = buffer.read(request.offset, request.limitBytes + 3);", "3 → 4"],
    ],
  },
  {
    file: "src/engine/output/render_terminal.ts",
    why: "ESC without intermediate bytes is what the next alternative says already.",
    mutants: [
      [
        "/\\x1b\\[([0-?]*)[ -/]*([@-~])|\\x1b[\\]P_^X][^\\x07\\x1b]{0,4096}(?:\\x07|\\x1b\\\\)?|\\x1b[ -/]+[0-~]|\\x1b[0-~]|\\x1b|\\r\\n|\\r|\\n|\\x08|[\\x00-\\x08\\x0b-\\x1f\\x7f]/g;",
        "…1b\\\\)?|\\x1b[ -/]+[0-~]|\\x1b[0-~]|… → …1b\\\\)?|\\x1b[ -/]*[0-~]|\\x1b[0-~]|…",
      ],
    ],
  },
  {
    file: "src/engine/output/render_terminal.ts",
    why: "Columns below the first are the first.",
    mutants: [
      ['else if (match[0] === "\\r") screen.moveTo(0);', "0 → -1"],
    ],
  },
  {
    file: "src/engine/output/render_terminal.ts",
    why: "The line as plain text is only the faster form; as cells it gives the same.",
    mutants: [
      ["#width = 0;", "0 → 1"],
      ["#width = 0;", "0 → -1"],
      [
        "if (this.#cells === null && this.#column === this.#width) {",
        "this.#cells === null && this.#column === this.#width → false",
      ],
      [
        "if (this.#cells === null && this.#column === this.#width) {",
        "this.#column === this.#width → this.#column !== this.#width",
      ],
      ["this.#column = this.#width = 0;", "0 → 1"],
      [
        'if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;',
        'mode === "0" && this.#cells === null & … umn >= this.#width → false',
      ],
      [
        'if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;',
        "….#cells === null && this.#column >= this.#width → ….#cells === null",
      ],
      [
        'if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;',
        'mode === "0" && this.#cells === null → mode === "0"',
      ],
      ['if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;', '"0" → ""'],
      [
        'if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;',
        "this.#cells === null → this.#cells !== null",
      ],
      [
        'if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;',
        "this.#column >= this.#width → this.#column > this.#width",
      ],
      [
        'if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;',
        "this.#column >= this.#width → this.#column < this.#width",
      ],
      ['if (mode === "0" && this.#cells === null && this.#column >= this.#width) return;', "return; → removed"],
    ],
  },
  {
    file: "src/engine/output/render_terminal.ts",
    why: "The blank that is pushed too much is the cell written next.",
    mutants: [
      [
        'while (cells.length < this.#column) cells.push(" ");',
        "cells.length < this.#column → cells.length <= this.#column",
      ],
    ],
  },
  {
    file: "src/engine/output/render_terminal.ts",
    why: "A count below zero takes nothing out either.",
    mutants: [
      ['if (this.#column < cells.length) cells.splice(this.#column, 0, ...Array(count).fill(" "));', "0 → -1"],
    ],
  },
  {
    file: "src/engine/output/render_terminal.ts",
    why: "Outside of the text there is no unit.",
    mutants: [
      ["for (let at = 0; at < text.length; at++) {", "0 → -1"],
      ["for (let at = 0; at < text.length; at++) {", "at < text.length → at <= text.length"],
    ],
  },
  {
    file: "src/engine/output/stream_window.ts",
    why: "Only saves reading: a beginning that is held back has at most 256 bytes.",
    mutants: [
      ["if (fresh > 300 || options.ended) return true;", "fresh > 300 || options.ended → options.ended"],
      ["if (fresh > 300 || options.ended) return true;", "fresh > 300 → fresh >= 300"],
      ["if (fresh > 300 || options.ended) return true;", "300 → 301"],
    ],
  },
  {
    file: "src/engine/output/stream_window.ts",
    why: "What is looked at beyond the limit is a margin; more or a little less of it shows the same.",
    mutants: [
      [
        "const lookBytes = options.rendered ? options.maxBytes * RENDERED_LOOK_FACTOR + 4 : options.maxBytes + 4;",
        "options.rendered → true",
      ],
      [
        "const lookBytes = options.rendered ? options.maxBytes * RENDERED_LOOK_FACTOR + 4 : options.maxBytes + 4;",
        "4 → 5",
      ],
      [
        "const lookBytes = options.rendered ? options.maxBytes * RENDERED_LOOK_FACTOR + 4 : options.maxBytes + 4;",
        "4 → 3",
      ],
    ],
  },
  {
    file: "src/engine/output/stream_window.ts",
    why: "The one byte before what is looked at is then looked at as well.",
    mutants: [
      ["let bytes = looked.subarray(before > 0 ? boundaryAfter(looked, before) : 0);", "0 → 1"],
    ],
  },
  {
    file: "src/engine/output/stream_window.ts",
    why: "One byte more is kept for the next turn, which cuts again.",
    mutants: [
      [
        "const target = Math.max(maxBytes, Math.floor(kept.length * maxBytes / shown));",
        "Math.floor(kept.length * maxBytes / shown) → Math.ceil(kept.length * maxBytes / shown)",
      ],
    ],
  },
  {
    file: "src/engine/output/stream_window.ts",
    why: "The target is smaller than what is there, so the start lies behind 0, which counts as cut.",
    mutants: [
      [
        "kept = kept.subarray(tailStartWithin(kept, { alreadyCut: true, maxBytes: target, boundary }).start);",
        "true → false",
      ],
    ],
  },
  {
    file: "src/engine/output/stream_window.ts",
    why: "Any number up to 0 means that all lines fit.",
    mutants: [
      ["if (at <= 0) return 0;", "0 → -1"],
    ],
  },
  {
    file: "src/engine/output/stream_window.ts",
    why: "Only the fast way for valid text; counting byte by byte finds none either.",
    mutants: [
      ["return 0;", "return 0; → removed"],
    ],
  },
];
