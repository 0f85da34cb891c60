import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { snapshot } from "../../tests/support/mixed_commit.ts";
import { TempWorkspace } from "../../tests/support/temp_workspace.ts";
import { acquireFileLock } from "./file_lock.ts";
import { openLinuxWriteTree } from "./linux/linux_write_tree.ts";
import { closeDescriptor, openAbsolute, setAttribute } from "./linux/write_calls.ts";
import { openPortableWriteTree } from "./portable/portable_write_tree.ts";
import type { NewFile, WriteTree } from "./write_tree.ts";
import { O_DIRECTORY } from "./linux/open_flags.ts";

/** Deno's `node:fs` rounds times to it. */
const MILLISECOND = 1_000_000n;
const PLAIN: Omit<NewFile, "bytes"> = { mode: 0o640, owner: null, attributes: [] };

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

const WAYS: readonly (readonly [string, (root: string) => WriteTree | null])[] = [
  ["Linux", (root) => openLinuxWriteTree(root, () => {})],
  ["portable", (root) => openPortableWriteTree(root, () => {})],
];

for (const [way, open] of WAYS) {
  const isAvailable = way !== "Linux" || Deno.build.os === "linux";
  const test = (name: string, run: (workspace: TempWorkspace, tree: WriteTree) => Promise<void> | void) => {
    if (!isAvailable) console.log(`ignored: ${name} (${way}): this system is ${Deno.build.os}`);
    Deno.test(`${name} (${way})`, { ignore: !isAvailable }, async () => {
      using workspace = new TempWorkspace();
      using tree = open(workspace.root);
      ok(tree !== null);
      await run(workspace, tree);
    });
  };

  test("a file is made with its bytes and exact mode, whatever the umask", async (workspace, tree) => {
    const before = process.umask(0o077);
    try {
      using directory = tree.openDirectory(".");
      deepStrictEqual(await directory.create("f", { ...PLAIN, bytes: bytesOf("text"), mode: 0o4755 }), []);
    } finally {
      process.umask(before);
    }
    strictEqual(workspace.read("f"), "text");
    strictEqual(statSync(workspace.path("f")).mode & 0o7777, 0o4755);
  });

  test("a name that exists is never written through, not even a link", async (workspace, tree) => {
    workspace.write("old", "old");
    symlinkSync("../outside", workspace.path("link"));
    using directory = tree.openDirectory(".");
    await rejects(directory.create("old", { ...PLAIN, bytes: bytesOf("x") }), { errno: "EEXIST", step: "create" });
    await rejects(directory.create("link", { ...PLAIN, bytes: bytesOf("x") }), { errno: "EEXIST" });
    strictEqual(workspace.read("old"), "old");
  });

  test("a directory is not opened through a link, nor is a missing one", (workspace, tree) => {
    mkdirSync(workspace.path("real"));
    symlinkSync("real", workspace.path("link"));
    throws(() => tree.openDirectory("link"), { errno: "ELOOP", step: "open", path: "link" });
    throws(() => tree.openDirectory("none"), { errno: "ENOENT" });
  });

  test("facts, read, link, rename, unlink and directories do what they say", async (workspace, tree) => {
    workspace.write("d/a", "one");
    using directory = tree.openDirectory("d");
    strictEqual(directory.facts("none"), null);
    const read = await directory.read("a", { limitBytes: 100 });
    strictEqual(new TextDecoder().decode(read.bytes), "one");
    const stats = lstatSync(workspace.path("d/a"), { bigint: true });
    deepStrictEqual(
      [
        read.facts.ino,
        read.facts.size,
        read.facts.uid,
        read.facts.gid,
        read.facts.mode,
        read.facts.modifiedNs / MILLISECOND,
      ],
      [stats.ino, 3, Number(stats.uid), Number(stats.gid), Number(stats.mode) & 0o7777, stats.mtimeNs / MILLISECOND],
    );
    await rejects(directory.read("a", { limitBytes: 2 }), { errno: "EFBIG" });
    directory.link("a", "b");
    strictEqual(directory.facts("b")?.nlink, 2);
    directory.rename("b", "c", { mustBeNew: true });
    throws(() => directory.rename("c", "a", { mustBeNew: true }), { errno: "EEXIST", step: "rename", path: "d/a" });
    directory.unlink("a");
    throws(() => directory.unlink("a"), { errno: "ENOENT", step: "unlink", path: "d/a" });
    directory.makeDirectory("e");
    throws(() => directory.makeDirectory("e"), { errno: "EEXIST", step: "mkdir" });
    directory.removeDirectory("e");
    await directory.sync();
    deepStrictEqual(Object.keys(snapshot(workspace.root)), ["d/", "d/c"]);
  });

  test("a FIFO is refused without being opened", async (workspace, tree) => {
    workspace.sh("mkfifo q");
    using directory = tree.openDirectory(".");
    strictEqual(directory.facts("q")?.kind, "fifo");
    await rejects(directory.read("q", { limitBytes: 100 }), { errno: "EINVAL" });
  });

  test("a file of several megabytes is written and read whole", async (workspace, tree) => {
    const bytes = new Uint8Array(5 * 1024 * 1024 + 7).map((_, i) => i % 251);
    using directory = tree.openDirectory(".");
    await directory.create("big", { ...PLAIN, bytes });
    deepStrictEqual(new Uint8Array(readFileSync(workspace.path("big"))), bytes);
    deepStrictEqual((await directory.read("big", { limitBytes: 10_000_000 })).bytes, bytes);
  });

  test("a step that is announced can be made to fail", async (workspace, _tree) => {
    const steps: string[] = [];
    using tree = way === "Linux"
      ? openLinuxWriteTree(workspace.root, (step) => steps.push(step)) as WriteTree
      : openPortableWriteTree(workspace.root, (step) => steps.push(step));
    using directory = tree.openDirectory(".");
    await directory.create("f", { ...PLAIN, bytes: bytesOf("x") });
    await directory.sync();
    deepStrictEqual(steps, ["open", "create", "write", "chmod", "fsync", "fsync_directory"]);
  });
}

Deno.test("a directory that is swapped for a link after it was opened is written in its old place (Linux)", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  using workspace = new TempWorkspace();
  mkdirSync(workspace.path("d"));
  mkdirSync(join(workspace.parent, "outside"));
  using tree = openLinuxWriteTree(workspace.root, () => {}) as WriteTree;
  using directory = tree.openDirectory("d");
  renameSync(workspace.path("d"), workspace.path("moved"));
  symlinkSync("../outside", workspace.path("d"));
  await directory.create("f", { ...PLAIN, bytes: bytesOf("x") });
  deepStrictEqual(snapshot(join(workspace.parent, "outside")), {});
  strictEqual(workspace.read("moved/f"), "x");
});

Deno.test("extended attributes are read and carried over (Linux)", { ignore: Deno.build.os !== "linux" }, async () => {
  using workspace = new TempWorkspace();
  using tree = openLinuxWriteTree(workspace.root, () => {}) as WriteTree;
  using directory = tree.openDirectory(".");
  const attributes = [
    { name: "user.comment", value: bytesOf("kept") },
    { name: "user.empty", value: new Uint8Array() },
  ];
  const lost = await directory.create("f", { ...PLAIN, bytes: bytesOf("x"), attributes });
  if (lost.length > 0) {
    console.log(`not checked further: ${workspace.root} lies on a file system without extended attributes`);
    return;
  }
  const read = await directory.read("f", { limitBytes: 10 });
  deepStrictEqual(read.attributes.filter((one) => one.name.startsWith("user.")), attributes);
});

Deno.test("an attribute that the process may not set is reported and no failure (Linux)", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  using workspace = new TempWorkspace();
  using tree = openLinuxWriteTree(workspace.root, () => {}) as WriteTree;
  using directory = tree.openDirectory(".");
  const attributes = [{ name: "nonsense.name", value: bytesOf("x") }];
  deepStrictEqual(await directory.create("f", { ...PLAIN, bytes: bytesOf("x"), attributes }), ["nonsense.name"]);
});

Deno.test("owner and group are kept where the process may (Linux)", {
  ignore: Deno.build.os !== "linux" || process.getuid?.() !== 0,
}, async () => {
  using workspace = new TempWorkspace();
  using tree = openLinuxWriteTree(workspace.root, () => {}) as WriteTree;
  using directory = tree.openDirectory(".");
  const made = { ...PLAIN, bytes: bytesOf("x"), mode: 0o6755, owner: { uid: 1234, gid: 2345 } };
  deepStrictEqual(await directory.create("f", made), []);
  const facts = directory.facts("f");
  deepStrictEqual([facts?.uid, facts?.gid, facts?.mode], [1234, 2345, 0o6755]);
});

Deno.test("the lock keeps a second owner out, ends with its owner and survives the removal of its file", async () => {
  using workspace = new TempWorkspace();
  const path = workspace.path("lock");
  const first = await acquireFileLock(path, { deadlineMs: 0 });
  ok(first !== null);
  strictEqual(await acquireFileLock(path, { deadlineMs: 5 }), null);
  const waiting = acquireFileLock(path, { deadlineMs: 10_000 });
  first.release();
  const second = await waiting;
  ok(second !== null);
  // Somebody clears the directory: whoever comes then must not believe that the old file's lock is his.
  renameSync(path, workspace.path("old"));
  writeFileSync(path, "");
  linkSync(workspace.path("old"), workspace.path("other"));
  const third = await acquireFileLock(path, { deadlineMs: 0 });
  ok(third !== null);
  second.release();
  third.release();
});

Deno.test("waiting for the lock ends when the call is cancelled", async () => {
  using workspace = new TempWorkspace();
  const first = await acquireFileLock(workspace.path("lock"), { deadlineMs: 0 });
  const waiting = acquireFileLock(workspace.path("lock"), { deadlineMs: 60_000, signal: AbortSignal.timeout(20) });
  await rejects(waiting, { name: "TimeoutError" });
  first?.release();
});

Deno.test("a replaced file is not opened to others by the default access list of its directory (Linux)", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  using workspace = new TempWorkspace();
  const fd = openAbsolute(new TextEncoder().encode(`${workspace.root}\0`), O_DIRECTORY);
  try {
    setAttribute(fd, { name: "system.posix_acl_default", value: DEFAULT_LIST });
  } catch (fault) {
    console.log(`not checked: ${workspace.root} takes no access lists (${fault})`);
    return;
  } finally {
    closeDescriptor(fd);
  }
  using tree = openLinuxWriteTree(workspace.root, () => {}) as WriteTree;
  using directory = tree.openDirectory(".");
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  await directory.create("new", { ...PLAIN, bytes: bytesOf("x") });
  await directory.create("replaced", { ...PLAIN, bytes: bytesOf("x"), owner });
  const listsOf = async (name: string) =>
    (await directory.read(name, { limitBytes: 10 })).attributes.map((one) => one.name);
  deepStrictEqual(await listsOf("new"), ["system.posix_acl_access"]);
  deepStrictEqual(await listsOf("replaced"), []);
  strictEqual(statSync(workspace.path("replaced")).mode & 0o777, 0o640);
});

/** Version 2, then tag, permissions and id of: owner, user 1234, group, mask, others (linux/posix_acl_xattr.h). */
const DEFAULT_LIST = accessList([[0x01, 7, -1], [0x02, 7, 1234], [0x04, 0, -1], [0x10, 7, -1], [0x20, 0, -1]]);

function accessList(entries: readonly (readonly [number, number, number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 + entries.length * 8));
  view.setUint32(0, 2, true);
  for (const [i, [tag, permissions, id]] of entries.entries()) {
    view.setUint16(4 + i * 8, tag, true);
    view.setUint16(6 + i * 8, permissions, true);
    view.setInt32(8 + i * 8, id, true);
  }
  return new Uint8Array(view.buffer);
}
