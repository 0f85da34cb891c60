/** `read_file` over the real protocol. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("a read returns the exact bytes, the counts and the revision of the whole file", async () => {
  using place = new TempWorkspace();
  const content = "\ufeffone\r\ntwo\n\nlast";
  place.write("sub/a.txt", content);
  await using server = new ViseProcess(place.root);
  const value = await server.value("read_file", { path: "sub/a.txt" });
  assert.deepEqual(value, {
    ok: true,
    path: "sub/a.txt",
    content,
    encoding: "utf-8",
    revision: createHash("sha256").update(content).digest("hex"),
    revision_algorithm: "sha256",
    max_bytes: 65_536,
    start_line: 1,
    end_line: 4,
    total_lines: 4,
    total_bytes: 17,
    bytes_read: 17,
    output_bytes: 17,
    output_lines: 4,
    truncated: false,
    truncated_by: null,
    first_line_exceeds_limit: false,
  });
});

Deno.test("equivalent spellings answer with one path, and a link with the path of its target", async () => {
  using place = new TempWorkspace();
  place.sh(
    "mkdir sub; echo x > sub/a.txt; ln -s sub/a.txt link; ln -s sub dir; printf t > 'a.txt '; printf d > ./-dash",
  );
  await using server = new ViseProcess(place.root);
  for (const path of ["sub/a.txt", "./sub/a.txt", "sub//a.txt", "sub/./a.txt", "link", "dir/a.txt"]) {
    assert.equal((await server.value("read_file", { path })).path, "sub/a.txt");
  }
  assert.equal((await server.value("read_file", { path: "a.txt " })).content, "t");
  assert.equal((await server.value("read_file", { path: "-dash" })).content, "d");
});

Deno.test("a page that is cut names the call that goes on, and following it gives the file back", async () => {
  using place = new TempWorkspace();
  const content = Array.from({ length: 5_200 }, (_, i) => `line ${i} ${"é".repeat(i % 30)}\n`).join("") +
    "x".repeat(3_000);
  place.write("f.txt", content);
  await using server = new ViseProcess(place.root);
  let args: Record<string, unknown> = { path: "./f.txt", max_bytes: 2_500 };
  let joined = "";
  for (let page = 0; page < 500; page++) {
    const value = await server.value("read_file", args);
    joined += value.content;
    assert.equal(value.truncated, value.next_action !== undefined);
    if (value.next_action === undefined) break;
    assert.equal(value.next_action.tool, "read_file");
    assert.equal(value.next_action.arguments.path, "./f.txt");
    args = value.next_action.arguments;
  }
  assert.equal(joined, content);
});

Deno.test("the text stays within its bound and continues at the first line that it does not show", async () => {
  using place = new TempWorkspace();
  const lines = Array.from({ length: 1_500 }, (_, i) => `${i} ${"text ".repeat(8)}`);
  place.write("f.txt", lines.join("\n"));
  await using server = new ViseProcess(place.root);
  for (const line_numbers of [false, true]) {
    const result = await server.call("read_file", { path: "f.txt", line_numbers, end_line: 1_400 });
    const text = ViseProcess.text(result);
    assert.ok(new TextEncoder().encode(text).length <= 16_384);
    assert.equal(result.structuredContent.text_truncated, true);
    const [, last] = text.match(/^\[Showing lines 1-(\d+) of 1500 revision=[0-9a-f]{64}\]\n/) as RegExpMatchArray;
    const shown = Number(last);
    const notice = text.split("\n").find((line) => line.startsWith("… ")) as string;
    assert.match(notice, new RegExp(`read_file\\(path="f.txt", start_line=${shown + 1}, .*end_line=1400`));
    const prefix = line_numbers ? `${shown}\t` : "";
    assert.ok(text.includes(`\n${prefix}${lines[shown - 1]}\n… `));
  }
});

Deno.test("a line longer than the text bound is continued inside the line", async () => {
  using place = new TempWorkspace();
  place.write("long.txt", "€".repeat(20_000) + "\nend\n");
  await using server = new ViseProcess(place.root);
  const text = ViseProcess.text(await server.call("read_file", { path: "long.txt", line_numbers: true }));
  const offset = Number((text.match(/line_offset=(\d+)/) as RegExpMatchArray)[1]);
  const shown = text.split("\n")[1] as string;
  assert.equal(shown, "1\t" + "€".repeat(offset / 3));
  const rest = await server.value("read_file", { path: "long.txt", start_line: 1, line_offset: offset });
  assert.equal(rest.content, "€".repeat(20_000 - offset / 3) + "\nend\n");
  assert.equal(rest.line_offset, offset);
});

Deno.test("a start behind the end gives no line and says how many there are", async () => {
  using place = new TempWorkspace();
  place.write("abc.txt", "p\nq\nr");
  place.write("empty", "");
  await using server = new ViseProcess(place.root);
  const value = await server.value("read_file", { path: "abc.txt", start_line: 4 });
  assert.deepEqual([value.content, value.end_line, value.total_lines, value.truncated], ["", 3, 3, false]);
  assert.match(value.warnings[0], /past the end: the file has 3 lines/);
  const empty = await server.call("read_file", { path: "empty" });
  assert.deepEqual([empty.structuredContent.total_lines, empty.structuredContent.end_line], [0, 0]);
  assert.match(ViseProcess.text(empty), /is empty/);
});

Deno.test("ranges that contradict themselves are refused by name", async () => {
  using place = new TempWorkspace();
  place.write("f", "a\nb\nc\n");
  await using server = new ViseProcess(place.root);
  assert.equal((await server.value("read_file", { path: "f", start_line: 2, max_lines: 1 })).content, "b\n");
  assert.equal((await server.value("read_file", { path: "f", start_line: 2, max_lines: 2, end_line: 3 })).end_line, 3);
  const table: [Record<string, unknown>, string][] = [
    [{ path: "f", start_line: 2, max_lines: 1, end_line: 3 }, "max_lines"],
    [{ path: "f", start_line: 3, end_line: 2 }, "end_line"],
    [{ path: "f", start_line: 1, line_offset: 9 }, "line_offset"],
  ];
  for (const [args, argument] of table) {
    const error = await server.failure("read_file", args);
    assert.deepEqual([error.code, error.details.argument], ["INVALID_ARGUMENT", argument]);
  }
  for (const args of [{ path: "f", start_line: "2" }, { path: "f", bogus: 1 }, { path: "" }, { path: "a\0" }, {}]) {
    assert.equal((await server.failure("read_file", args)).code, "INVALID_ARGUMENT", JSON.stringify(args));
  }
  assert.equal((await server.value("read_file", { path: "f", max_lines: 2.0, end_line: null })).end_line, 2);
});

Deno.test("what is no text file is refused at once, with its kind and without being opened", async () => {
  using place = new TempWorkspace();
  place.sh("mkfifo q; mkdir dir; printf 'a\\0b' > bin; printf 'ab\\351' > latin; truncate -s 3G hole.bin");
  using socket = Deno.listen({ transport: "unix", path: place.path("sk") });
  void socket;
  await using server = new ViseProcess(place.root);
  const table: [string, string, RegExp][] = [
    ["q", "INVALID_ARGUMENT", /not a regular file but a FIFO/],
    ["sk", "INVALID_ARGUMENT", /not a regular file but a socket/],
    ["dir", "IS_DIRECTORY", /is a directory/],
    ["bin", "BINARY_FILE", /byte 1 is NUL/],
    ["hole.bin", "BINARY_FILE", /binary/],
    ["latin", "UNSUPPORTED_ENCODING", /byte 2 is not valid UTF-8/],
  ];
  for (const [path, code, message] of table) {
    const error = await server.failure("read_file", { path });
    assert.equal(error.code, code, path);
    assert.match(error.message, message);
  }
  assert.deepEqual(openDescriptors(server.child.pid as number).filter((path) => path.startsWith(place.root + "/")), []);
});

Deno.test("nothing beside the workspace is read by any spelling", async () => {
  using place = new TempWorkspace("proj");
  place.sh(
    "mkdir sub ../proj-secret; printf 'S3SAME' > ../proj-secret/k.txt; ln -s ../proj-secret out; ln -s ../proj-secret/k.txt k",
  );
  await using server = new ViseProcess(place.root);
  const table: [string, string][] = [
    ["../proj-secret/k.txt", "PATH_OUTSIDE_WORKSPACE"],
    ["sub/../../proj-secret/k.txt", "PATH_OUTSIDE_WORKSPACE"],
    [`${place.parent}/proj-secret/k.txt`, "ABSOLUTE_PATH_DENIED"],
    ["out/k.txt", "PATH_OUTSIDE_WORKSPACE"],
    ["k", "SYMLINK_ESCAPE"],
    ["C:\\k.txt", "ABSOLUTE_PATH_DENIED"],
  ];
  for (const [path, code] of table) assert.equal((await server.failure("read_file", { path })).code, code, path);
  assert.equal((await server.failure("list_dir", { path: "../proj-secret" })).code, "PATH_OUTSIDE_WORKSPACE");
  assert.equal((await server.failure("list_dir", { path: "out" })).code, "SYMLINK_ESCAPE");
  assert.ok(!server.lines.join("\n").includes("S3SAME"));
});

Deno.test("a late page of a large file costs memory for the page only, and others are answered meanwhile", async () => {
  using place = new TempWorkspace();
  place.sh("yes 0123456789abcdefghij | head -c 300000000 > mid.log; printf 'LAST\\n' >> mid.log");
  await using server = new ViseProcess(place.root);
  await server.value("read_file", { path: "mid.log", start_line: 1, end_line: 1, max_bytes: 100 });
  const before = residentKb(server.child.pid as number);
  const first = server.value("read_file", { path: "mid.log", start_line: 5, end_line: 7 });
  const tail = server.value("read_file", { path: "mid.log", start_line: 14_285_715 });
  await server.request("ping");
  assert.equal((await first).content, "0123456789abcdefghij\n".repeat(3));
  const { content, total_bytes } = await tail;
  assert.ok(content.endsWith("LAST\n"));
  assert.equal(total_bytes, 300_000_005);
  const grownKb = residentKb(server.child.pid as number) - before;
  assert.ok(grownKb < 64 * 1024, `grew by ${grownKb} KiB`);
});

Deno.test("reads of many megabytes at once arrive whole, each in one line", async () => {
  using place = new TempWorkspace();
  const content = Array.from({ length: 50_000 }, (_, i) => `e\u0301\u2028\\ "q" ${i}\n`).join("");
  place.write("f.txt", content);
  await using server = new ViseProcess(place.root);
  const reads = Array.from({ length: 8 }, () => server.value("read_file", { path: "f.txt", max_bytes: 1_048_576 }));
  const pings = Array.from({ length: 50 }, () => server.request("ping"));
  await Promise.all(pings);
  const lines = content.split("\n").slice(0, 2_000).join("\n") + "\n";
  for (const value of await Promise.all(reads)) assert.equal(value.content, lines);
});

/** What the descriptors of a process point at; empty where procfs is missing. */
function openDescriptors(pid: number): string[] {
  if (Deno.build.os !== "linux") return [];
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].flatMap(({ name }) => {
    try {
      return [Deno.readLinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      // Closed since it was listed.
      return [];
    }
  });
}

function residentKb(pid: number): number {
  if (Deno.build.os !== "linux") return 0;
  return Number((Deno.readTextFileSync(`/proc/${pid}/status`).match(/VmRSS:\s+(\d+)/) as RegExpMatchArray)[1]);
}
