import assert from "node:assert/strict";
import { NotRegularError, SystemError } from "./errno.ts";
import { openPortableTree } from "./portable/portable_tree.ts";
import { openTree, type Tree } from "./tree.ts";

const IMPLEMENTATIONS: readonly [string, (root: string) => Tree][] = [
  ["with FFI", openTree],
  ["without FFI", openPortableTree],
];

for (const [label, open] of IMPLEMENTATIONS) {
  Deno.test(`a tree ${label} reads files and facts beneath its root`, async () => {
    await inTree(open, async (tree, root) => {
      Deno.mkdirSync(`${root}/a/b`, { recursive: true });
      Deno.writeTextFileSync(`${root}/a/b/f`, "hello", { mode: 0o640 });
      Deno.linkSync(`${root}/a/b/f`, `${root}/second`);
      using file = tree.openFile("a/b/f");
      const bytes = new Uint8Array(3);
      assert.equal(file.readSync(bytes, 1), 3);
      assert.equal(new TextDecoder().decode(bytes), "ell");
      assert.equal(await file.read(bytes, 4), 1);
      assert.equal(await file.read(bytes, 5), 0);
      const facts = file.facts();
      const stat = Deno.statSync(`${root}/a/b/f`);
      assert.equal(facts.kind, "file");
      assert.equal(facts.size, 5);
      assert.equal(facts.mode, 0o640 & ~Deno.umask());
      assert.equal(facts.nlink, 2);
      assert.equal(facts.dev, stat.dev);
      assert.equal(facts.ino, BigInt(stat.ino ?? -1));
      assert.equal(Number(facts.modifiedNs / 1_000_000n), stat.mtime?.getTime());
    });
  });

  Deno.test(`a tree ${label} follows no link and leaves its root by no name`, async () => {
    await inTree(open, (tree, root) => {
      Deno.mkdirSync(`${root}/d`);
      Deno.writeTextFileSync(`${root}/d/f`, "x");
      Deno.symlinkSync("d", `${root}/inner`);
      Deno.symlinkSync("/etc/hostname", `${root}/outer`);
      assert.equal(errnoOf(() => tree.openFile("inner/f")), "ELOOP");
      assert.equal(errnoOf(() => tree.openDirectory("inner")), "ELOOP");
      assert.equal(errnoOf(() => tree.openFile("outer")), "ELOOP");
      assert.equal(errnoOf(() => tree.openFile("../x")), "EXDEV");
      assert.equal(errnoOf(() => tree.openFile("d/none")), "ENOENT");
      assert.equal(errnoOf(() => tree.openFile("d/f/x")), "ENOTDIR");
      assert.equal(errnoOf(() => tree.openDirectory("d/f")), "ENOTDIR");
      assert.equal(tree.facts("outer").kind, "symlink");
      assert.equal(tree.readLink("outer"), "/etc/hostname");
      assert.equal(tree.canonical(`${root}/inner/f`), `${root}/d/f`);
      assert.equal(tree.canonical(`${root}/none`), null);
    });
  });

  Deno.test(`a tree ${label} lists a directory and refuses to open what is no regular file`, async () => {
    await inTree(open, (tree, root) => {
      Deno.mkdirSync(`${root}/dir`);
      Deno.writeTextFileSync(`${root}/-dash`, "");
      Deno.writeTextFileSync(`${root}/new\nline`, "");
      Deno.symlinkSync("nowhere", `${root}/link`);
      using socket = Deno.listen({ transport: "unix", path: `${root}/sk` });
      void socket;
      using directory = tree.openDirectory(".");
      const names = [...directory.batches()].flat().map((entry) => entry.name);
      assert.deepEqual(names.sort(), ["-dash", "dir", "link", "new\nline", "sk"]);
      assert.equal(directory.factsOf("sk")?.kind, "socket");
      assert.equal(directory.factsOf("gone"), null);
      assert.equal(directory.readLink("link"), "nowhere");
      assert.equal(directory.readLink("dir"), null);
      assert.throws(
        () => directory.openFile("sk"),
        (fault) => fault instanceof NotRegularError && fault.kind === "socket",
      );
      assert.throws(
        () => tree.openFile("dir"),
        (fault) => fault instanceof NotRegularError && fault.errno === "EISDIR",
      );
    });
  });
}

async function inTree(open: (root: string) => Tree, body: (tree: Tree, root: string) => void | Promise<void>) {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "vise-tree-" }));
  using tree = open(root);
  try {
    await body(tree, root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

function errnoOf(act: () => unknown): string {
  try {
    act();
  } catch (fault) {
    if (fault instanceof SystemError) return fault.errno;
    throw fault;
  }
  return "opened";
}

Deno.test("a tree follows its root's path when the directory was moved away and made anew", async () => {
  const parent = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "vise-tree-" }));
  try {
    Deno.mkdirSync(`${parent}/root`);
    Deno.writeTextFileSync(`${parent}/root/f`, "old");
    using tree = openTree(`${parent}/root`);
    assert.equal(tree.facts("f").size, 3);
    Deno.renameSync(`${parent}/root`, `${parent}/moved`);
    Deno.mkdirSync(`${parent}/root`);
    Deno.writeTextFileSync(`${parent}/root/f`, "newer");
    const isNew = () => tree.facts("f").size === 5;
    for (let wait = 0; wait < 600 && !isNew(); wait++) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(isNew(), true);
    Deno.removeSync(`${parent}/root`, { recursive: true });
    Deno.symlinkSync("moved", `${parent}/root`);
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(errnoOf(() => tree.facts("f")), "ENOENT");
  } finally {
    Deno.removeSync(parent, { recursive: true });
  }
});
