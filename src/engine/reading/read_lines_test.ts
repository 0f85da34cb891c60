import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { ToolError } from "../../base/tool_error.ts";
import { openPortableTree } from "../../platform/portable/portable_tree.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { Workspace } from "../workspace/workspace.ts";
import { type LinesRead, readLines, type ReadLinesRequest } from "./read_lines.ts";

Deno.test("only LF ends a line", async () => {
  using place = new Place();
  place.write("f", "a1\fpage\nb2\u2028sep\u0085x\nc3\rd\r\nMARK here\n\ufeff");
  const read = await place.page({ startLine: 4, endLine: 4 });
  assert.equal(read.content, "MARK here\n");
  assert.equal(read.totalLines, 5);
});

Deno.test("a page is what splitting the whole file at LF gives, for every range and limit", async () => {
  using place = new Place();
  const text = fc.array(fc.constantFrom("a", "bb", "\n", "\n", "\r\n", "é", "😀", "\r", "\ufeff"), { maxLength: 40 })
    .map((parts) => parts.join(""));
  const options = fc.record({
    startLine: fc.integer({ min: 1, max: 12 }),
    count: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    maxBytes: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(text, options, async (content, { startLine, count, maxBytes }) => {
      place.write("f", content);
      const endLine = count === undefined ? undefined : startLine + count - 1;
      const read = await place.page({ startLine, endLine, maxBytes });
      const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      assert.equal(read.totalLines, lines.length);
      assert.equal(read.totalBytes, bytesOf(content));
      assert.equal(read.revision, createHash("sha256").update(content).digest("hex"));
      const wanted = lines.slice(startLine - 1, endLine);
      const fitting = wanted.slice(
        0,
        wanted.findIndex((_, at) => bytesOf(wanted.slice(0, at + 1).join("")) > maxBytes),
      );
      const isAll = bytesOf(wanted.join("")) <= maxBytes;
      if (isAll) assert.equal(read.content, wanted.join(""));
      else if (fitting.length > 0) assert.equal(read.content, fitting.join(""));
      assert.equal(read.truncatedBy, isAll ? null : "bytes");
      assert.equal(read.isFirstLineCut, !isAll && fitting.length === 0);
      assert.ok(bytesOf(read.content) <= maxBytes);
    }),
    { numRuns: 400 },
  );
});

Deno.test("following line_offset through an over-long line gives the line back, cut between characters", async () => {
  using place = new Place();
  const line = "aé€😀".repeat(500) + "\n";
  place.write("f", "first\n" + line + "last");
  let offset = 0;
  let joined = "";
  for (let page = 0; page < 2000; page++) {
    const read = await place.page({ startLine: 2, endLine: 2, maxBytes: 7, lineOffset: offset });
    joined += read.content;
    if (!read.isFirstLineCut) break;
    offset = read.lineOffset + read.contentBytes;
  }
  assert.equal(joined, line);
});

Deno.test("an offset inside a character moves on to the next one, and one behind the line is refused", async () => {
  using place = new Place();
  place.write("f", "a€b\nc\n");
  const read = await place.page({ startLine: 1, lineOffset: 2 });
  assert.deepEqual([read.lineOffset, read.content], [4, "b\nc\n"]);
  for (
    const request of [{ startLine: 1, lineOffset: 6 }, { startLine: 2, lineOffset: 2 }, { startLine: 9, lineOffset: 1 }]
  ) {
    const fault = await place.fault(request);
    assert.equal(fault.code, "INVALID_ARGUMENT");
    assert.equal(fault.details["argument"], "line_offset");
  }
});

Deno.test("a page holds 2000 lines at most and says so", async () => {
  using place = new Place();
  place.write("f", "x\n".repeat(2500));
  const read = await place.page({ maxBytes: 1_000_000 });
  assert.deepEqual([read.lines, read.truncatedBy, read.totalLines], [2000, "lines", 2500]);
  const rest = await place.page({ startLine: 2001, maxBytes: 1_000_000 });
  assert.deepEqual([rest.lines, rest.truncatedBy], [500, null]);
  const exact = await place.page({ startLine: 1, endLine: 2000, maxBytes: 1_000_000 });
  assert.equal(exact.truncatedBy, null);
});

Deno.test("an empty file has no lines, and a start behind the end gives nothing", async () => {
  using place = new Place();
  place.write("f", "");
  assert.deepEqual(summary(await place.page({})), ["", 0, 0, null]);
  place.write("f", "p\nq\nr");
  assert.deepEqual(summary(await place.page({ startLine: 3 })), ["r", 1, 3, null]);
  assert.deepEqual(summary(await place.page({ startLine: 4 })), ["", 0, 3, null]);
});

Deno.test("bytes that are no UTF-8 are refused with the offset of the first", async () => {
  using place = new Place();
  const table: [Uint8Array, string, number][] = [
    [bytes("abc\n", [0xff], "d"), "UNSUPPORTED_ENCODING", 4],
    [bytes("x".repeat(300_000), [0xe2, 0x82], "y"), "UNSUPPORTED_ENCODING", 300_000],
    [bytes("x".repeat(262_143), [0xe2, 0x82]), "UNSUPPORTED_ENCODING", 262_143],
    [bytes([0xff, 0xfe, 0x61, 0x00]), "UNSUPPORTED_ENCODING", 0],
    [bytes("a", [0], "b"), "BINARY_FILE", 1],
    [bytes("x".repeat(4095), [0]), "BINARY_FILE", 4095],
  ];
  for (const [content, code, offset] of table) {
    place.write("f", content);
    const fault = await place.fault({});
    assert.deepEqual([fault.code, fault.details["byte_offset"]], [code, offset]);
  }
  place.write("f", bytes([0xff, 0xfe, 0x61, 0x00]));
  assert.match((await place.fault({})).message, /UTF-16LE/);
});

Deno.test("a character across the border of two chunks is whole, and a NUL behind the first 4096 bytes is text", async () => {
  using place = new Place();
  const content = "x".repeat(262_142) + "€\0\n" + "y".repeat(300_000);
  place.write("f", content);
  const read = await place.page({ startLine: 2, maxBytes: 1_000_000 });
  assert.deepEqual([read.totalLines, read.content.length], [2, 300_000]);
});

Deno.test("a sparse file of 3 GiB is refused at its first block", async () => {
  using place = new Place();
  place.write("f", "");
  Deno.truncateSync(place.path("f"), 3 * 1024 ** 3);
  const fault = await place.fault({});
  assert.deepEqual([fault.code, fault.details["total_bytes"]], ["BINARY_FILE", 3 * 1024 ** 3]);
});

Deno.test("memory stays flat and the event loop free while hundreds of megabytes are read", async () => {
  using place = new Place();
  place.write("f", "one line, then a hole\n" + "x".repeat(5000) + "\n");
  // A hole behind the first 4096 bytes: zeros are valid UTF-8, so the whole of it is read as one line.
  Deno.truncateSync(place.path("f"), 400 * 1024 ** 2);
  await place.page({ endLine: 1 });
  const before = Deno.memoryUsage().rss;
  let longestTurnMs = 0;
  const start = performance.now();
  let last = start;
  const beat = setInterval(() => {
    longestTurnMs = Math.max(longestTurnMs, performance.now() - last);
    last = performance.now();
  }, 1);
  const read = await place.page({ startLine: 3, maxBytes: 1000 });
  clearInterval(beat);
  const wholeMs = performance.now() - start;
  assert.equal(read.totalLines, 3);
  assert.equal(read.isFirstLineCut, true);
  assert.equal(read.content, "\0".repeat(1000));
  const grownMb = (Deno.memoryUsage().rss - before) / 1024 ** 2;
  assert.ok(grownMb < 64, `grew by ${grownMb} MB`);
  // A share of the whole, because a busy machine and coverage counters slow down both. One of 1,600 chunks is far less.
  assert.ok(longestTurnMs < wholeMs / 4, `the loop was held for ${longestTurnMs} of ${wholeMs} ms`);
});

Deno.test("a cancelled read stops and closes its file", async () => {
  using place = new Place();
  place.write("f2", "y".repeat(5000));
  Deno.truncateSync(place.path("f2"), 2 * 1024 ** 3);
  const controller = new AbortController();
  const reading = readLines(place.workspace, "f2", { ...DEFAULTS, signal: controller.signal });
  setTimeout(() => controller.abort(new Error("cancelled by the test")), 5);
  await assert.rejects(reading, /cancelled by the test/);
  assert.deepEqual(openedFiles().filter((path) => path.endsWith("/f2")), []);
});

Deno.test("a file that grows, shrinks or is replaced while it is read never gives a mixture unnoticed", async () => {
  using place = new Place();
  const line = "0123456789abcdef\n";
  place.write("f", line.repeat(40_000));
  for (let round = 0; round < 20; round++) {
    const reading = place.page({ startLine: 39_990, maxBytes: 100_000 });
    await Promise.resolve();
    if (round % 3 === 0) Deno.writeTextFileSync(place.path("f"), line.repeat(10), { append: true });
    else if (round % 3 === 1) Deno.truncateSync(place.path("f"), line.length * (39_995 - round));
    else Deno.writeTextFileSync(place.path("f"), "new\n".repeat(60_000));
    const read = await reading;
    assert.equal(
      read.totalBytes === 0 || read.content === "" || /^(0123456789abcdef\n|new\n)+$/.test(read.content),
      true,
    );
    place.write("f", line.repeat(40_000));
  }
});

Deno.test(
  "files of procfs, which report no size, are read to their end",
  { ignore: Deno.build.os !== "linux" },
  async () => {
    const workspace = new Workspace(`/proc/${Deno.pid}`);
    const read = await readLines(workspace, "status", DEFAULTS);
    workspace.close();
    assert.match(read.content, /^Name:/);
    assert.equal(read.totalBytes, bytesOf(read.content));
  },
);

Deno.test("the portable tree reads the same", async () => {
  using place = new Place();
  place.write("f", "a\nb€\n".repeat(50_000));
  const workspace = new Workspace(place.root, { openTree: openPortableTree });
  const one = await readLines(workspace, "f", { ...DEFAULTS, startLine: 99_999 });
  const other = await place.page({ startLine: 99_999 });
  assert.deepEqual(one, other);
  workspace.close();
});

const DEFAULTS: ReadLinesRequest = {
  startLine: 1,
  maxBytes: 65_536,
  lineOffset: 0,
  signal: new AbortController().signal,
};

class Place extends TempWorkspace {
  readonly workspace = new Workspace(this.root);

  page(request: Partial<ReadLinesRequest>): Promise<LinesRead> {
    return readLines(this.workspace, "f", { ...DEFAULTS, ...request });
  }

  async fault(request: Partial<ReadLinesRequest>): Promise<ToolError> {
    try {
      await this.page(request);
    } catch (fault) {
      if (fault instanceof ToolError) return fault;
      throw fault;
    }
    throw new Error("the read succeeded");
  }

  override [Symbol.dispose](): void {
    this.workspace.close();
    super[Symbol.dispose]();
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function bytes(...parts: (string | number[])[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part),
  );
}

function summary(read: LinesRead): unknown[] {
  return [read.content, read.lines, read.totalLines, read.truncatedBy];
}

/** What the descriptors of this process point at; empty where procfs is missing. */
function openedFiles(): string[] {
  if (Deno.build.os !== "linux") return [];
  return [...Deno.readDirSync("/proc/self/fd")].flatMap(({ name }) => {
    try {
      return [Deno.readLinkSync(`/proc/self/fd/${name}`)];
    } catch {
      // The descriptor that lists this directory is gone by now.
      return [];
    }
  });
}
