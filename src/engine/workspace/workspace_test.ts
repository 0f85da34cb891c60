import assert from "node:assert/strict";
import { ToolError } from "../../base/tool_error.ts";
import { openPortableTree } from "../../platform/portable/portable_tree.ts";
import { openTree, type Tree } from "../../platform/tree.ts";
import { LinkedPlace } from "../../../tests/support/linked_place.ts";
import { Workspace } from "./workspace.ts";

const TREES: readonly [string, (root: string) => Tree][] = [["", openTree], [" without FFI", openPortableTree]];

for (const [label, open] of TREES) {
  Deno.test(`equivalent spellings resolve to one path${label}`, () => {
    using place = new LinkedPlace(open);
    place.write("sub/a.txt", "x");
    for (const spelled of ["sub/a.txt", "./sub/a.txt", "sub//a.txt", "sub/./a.txt", "sub/a.txt/"]) {
      assert.deepEqual(place.workspace.resolveExisting(spelled), {
        path: "sub/a.txt",
        absolute: `${place.root}/sub/a.txt`,
        kind: "file",
      });
    }
    for (const spelled of [".", "./", "././"]) {
      assert.deepEqual(place.workspace.resolveExisting(spelled), {
        path: ".",
        absolute: place.root,
        kind: "directory",
      });
    }
    assert.equal(place.workspace.resolveExisting("", { emptyIsRoot: true }).path, ".");
  });

  Deno.test(`spellings that no workspace path has are refused before the disk is touched${label}`, () => {
    using place = new LinkedPlace(open);
    const table: [string, string][] = [
      ["", "INVALID_ARGUMENT"],
      ["a\0b", "INVALID_ARGUMENT"],
      ["half \ud83d", "INVALID_ARGUMENT"],
      ["/etc/hostname", "ABSOLUTE_PATH_DENIED"],
      [place.root, "ABSOLUTE_PATH_DENIED"],
      ["C:\\x", "ABSOLUTE_PATH_DENIED"],
      ["c:/x", "ABSOLUTE_PATH_DENIED"],
      ["..", "PATH_OUTSIDE_WORKSPACE"],
      ["sub/../../x", "PATH_OUTSIDE_WORKSPACE"],
      ["x".repeat(300), "INVALID_ARGUMENT"],
    ];
    for (const [spelled, code] of table) {
      assert.equal(codeOf(() => place.workspace.resolveExisting(spelled)), code, JSON.stringify(spelled));
      assert.equal(codeOf(() => place.workspace.openFile(spelled)), code, JSON.stringify(spelled));
    }
  });

  Deno.test(`links are followed inside the workspace and refused outside${label}`, () => {
    using place = new LinkedPlace(open);
    place.write("d/e/f.txt", "x");
    Deno.mkdirSync(`${place.parent}/proj-secret`);
    Deno.writeTextFileSync(`${place.parent}/proj-secret/k.txt`, "secret");
    place.link("inner", "d/e");
    place.link("d/up", "../inner/f.txt");
    place.link("absolute", `${place.root}/d/e/f.txt`);
    place.link("escape", "/etc/passwd");
    place.link("sibling", `../${place.name}-secret/../proj-secret/k.txt`);
    place.link("outdir", "../proj-secret");
    place.link("chain", "outdir");
    place.link("return", `../${place.name}/d/e/f.txt`);
    place.link("dangling", "d/none");
    place.link("outmissing", "/nonexistent/x");
    place.link("loop", "loop2");
    place.link("loop2", "loop");
    const resolve = (spelled: string) => place.workspace.resolveExisting(spelled).path;
    assert.equal(resolve("inner/f.txt"), "d/e/f.txt");
    assert.equal(resolve("d/up"), "d/e/f.txt");
    assert.equal(resolve("absolute"), "d/e/f.txt");
    assert.equal(resolve("return"), "d/e/f.txt");
    const table: [string, string][] = [
      ["escape", "SYMLINK_ESCAPE"],
      ["sibling", "SYMLINK_ESCAPE"],
      ["outdir", "SYMLINK_ESCAPE"],
      ["chain", "SYMLINK_ESCAPE"],
      ["outdir/k.txt", "PATH_OUTSIDE_WORKSPACE"],
      ["chain/none", "PATH_OUTSIDE_WORKSPACE"],
      ["outmissing", "SYMLINK_ESCAPE"],
      ["dangling", "NOT_FOUND"],
      ["loop", "NOT_FOUND"],
      ["loop/x", "NOT_FOUND"],
      ["none", "NOT_FOUND"],
      ["d/e/f.txt/x", "NOT_FOUND"],
    ];
    for (const [spelled, code] of table) {
      assert.equal(codeOf(() => resolve(spelled)), code, spelled);
      assert.equal(codeOf(() => place.workspace.openFile(spelled)), code, spelled);
    }
  });

  Deno.test(`a missing path names the nearest directory that exists${label}`, () => {
    using place = new LinkedPlace(open);
    place.write("src/deep/a.ts", "x");
    const fault = faultOf(() => place.workspace.openFile("src/deep/nope/b.ts"));
    assert.deepEqual(fault.details["next_action"], { tool: "list_dir", arguments: { path: "src/deep" } });
  });

  Deno.test(`a missing path is told what was probably meant${label}`, () => {
    using place = new LinkedPlace(open);
    place.write("src/deep/reader.ts", "x");
    const meant = (spelled: string) => faultOf(() => place.workspace.openFile(spelled)).details["did_you_mean"];
    assert.equal(meant("src/deep/Reader.ts"), "src/deep/reader.ts");
    assert.equal(meant("src/dep/reader.ts"), "src/deep/reader.ts");
    assert.equal(meant("src/deep/unlike"), undefined);
    assert.match(faultOf(() => place.workspace.openFile("no\u202efile")).message, /^Cannot open "no\\u202efile": /);
    const absolute = faultOf(() => place.workspace.openFile(`${place.root}/src/deep/reader.ts`));
    assert.equal(absolute.details["retry_hint"], 'Pass "src/deep/reader.ts".');
  });

  Deno.test(`special files and directories are refused as files, naming what they are${label}`, () => {
    using place = new LinkedPlace(open);
    Deno.mkdirSync(`${place.root}/dir`);
    using socket = Deno.listen({ transport: "unix", path: `${place.root}/sk` });
    void socket;
    const fault = faultOf(() => place.workspace.openFile("sk"));
    assert.equal(fault.code, "INVALID_ARGUMENT");
    assert.match(fault.message, /not a regular file but a socket/);
    assert.equal(codeOf(() => place.workspace.openFile("dir")), "IS_DIRECTORY");
    assert.equal(codeOf(() => place.workspace.openDirectory("sk")), "NOT_A_DIRECTORY");
    place.workspace.openDirectory("dir").handle.close();
  });

  Deno.test(`a write target may be missing, but is no link and never leaves the workspace${label}`, () => {
    using place = new LinkedPlace(open);
    place.write("d/f.txt", "x");
    Deno.mkdirSync(`${place.parent}/out`);
    place.link("inner", "d");
    place.link("d/link", "f.txt");
    place.link("out", "../out");
    place.link("dangling", "nowhere");
    const target = (spelled: string) => place.workspace.resolveTarget(spelled);
    assert.deepEqual(target("inner/f.txt"), { path: "d/f.txt", absolute: `${place.root}/d/f.txt`, kind: "file" });
    assert.deepEqual(target("inner/new/deep.txt"), {
      path: "d/new/deep.txt",
      absolute: `${place.root}/d/new/deep.txt`,
      kind: null,
    });
    assert.equal(target("d").kind, "directory");
    const table: [string, string][] = [
      ["d/link", "SYMLINK_ESCAPE"],
      ["dangling", "SYMLINK_ESCAPE"],
      ["out", "SYMLINK_ESCAPE"],
      ["out/x", "PATH_OUTSIDE_WORKSPACE"],
      ["out/x/y", "PATH_OUTSIDE_WORKSPACE"],
      ["dangling/x", "NOT_FOUND"],
      ["d/f.txt/x", "NOT_A_DIRECTORY"],
      [".", "PATH_OUTSIDE_WORKSPACE"],
      ["../x", "PATH_OUTSIDE_WORKSPACE"],
      ["/tmp/x", "ABSOLUTE_PATH_DENIED"],
    ];
    for (const [spelled, code] of table) assert.equal(codeOf(() => target(spelled)), code, spelled);
  });

  Deno.test(`file tools write nothing inside .git unless that was allowed${label}`, () => {
    using place = new LinkedPlace(open);
    place.write(".git/config", "x");
    place.write("sub/.git", "gitdir: x");
    place.link("g", ".git");
    const workspace = place.workspace;
    for (
      const spelled of [".git/config", ".git/hooks/pre-commit", "g/hooks/x", "sub/.git", "new/.GIT/config", ".git"]
    ) {
      assert.equal(codeOf(() => workspace.resolveTarget(spelled)), "PERMISSION_REQUIRED", spelled);
    }
    assert.equal(workspace.resolveTarget(".gitignore").path, ".gitignore");
    assert.equal(workspace.resolveTarget(".github/x.yml").path, ".github/x.yml");
    const allowing = new Workspace(place.root, { gitWrites: "allowed", openTree: open });
    assert.equal(allowing.resolveTarget(".git/config").kind, "file");
    allowing.close();
  });

  Deno.test(`file tools write none of git's own files in a bare repository${label}`, () => {
    using place = new LinkedPlace(open);
    for (const name of ["HEAD", "objects/x", "refs/x", "hooks/x", "main/src/hooks/x"]) {
      place.write(`up/b.git/${name}`, "x");
    }
    const { workspace } = place;
    for (
      const name of ["config", "hooks/pre-receive", "hooks/new/x", "info/attributes", "HEAD", "Config", "objects/a/b"]
    ) {
      const fault = faultOf(() => workspace.resolveTarget(`up/b.git/${name}`));
      assert.equal(fault.code, "PERMISSION_REQUIRED", name);
      assert.match(fault.message, /git directory up\/b\.git/);
    }
    for (const name of ["main/src/hooks/x", "main/config", "notes.txt"]) workspace.resolveTarget(`up/b.git/${name}`);
    for (const free of ["config/x", "hooks/x", "up/hooks/x", "up/config", "HEAD"]) workspace.resolveTarget(free);
    const allowing = new Workspace(place.root, { gitWrites: "allowed", openTree: open });
    assert.equal(allowing.resolveTarget("up/b.git/hooks/x").kind, "file");
    allowing.close();
  });

  Deno.test(`the last file that would make a directory a repository is refused${label}`, () => {
    using place = new LinkedPlace(open);
    place.write("b/hooks/x", "x");
    place.write("b/objects/x", "x");
    place.write("b/refs/x", "x");
    assert.equal(codeOf(() => place.workspace.resolveTarget("b/HEAD")), "PERMISSION_REQUIRED");
    place.workspace.checkTogether(["c/HEAD", "c/hooks/x", "c/refs/x", "d/objects/y"], (path) => path);
    assert.equal(
      codeOf(() => place.workspace.checkTogether(["c/HEAD", "c/refs/x", "c/objects/y"], (path) => path)),
      "PERMISSION_REQUIRED",
    );
  });
}

Deno.test("names that are not UTF-8 resolve by their escaped form", { ignore: Deno.build.os !== "linux" }, () => {
  using place = new LinkedPlace(openTree);
  const made = new Deno.Command("sh", {
    args: [
      "-c",
      `cd "$1" && printf bytes > "$(printf 'bad\\377.txt')" && printf text > 'bad\\xff.txt'`,
      "sh",
      place.root,
    ],
  }).outputSync();
  assert.equal(made.success, true);
  const read = (spelled: string) => {
    const { handle } = place.workspace.openFile(spelled);
    using file = handle;
    const bytes = new Uint8Array(8);
    return new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes, 0)));
  };
  assert.equal(read("bad\\xff.txt"), "bytes");
  assert.equal(read("bad\\x5cxff.txt"), "text");
  assert.equal(place.workspace.resolveExisting("bad\\x5cxff.txt").absolute, `${place.root}/bad\\xff.txt`);
});

function faultOf(act: () => unknown): ToolError {
  try {
    act();
  } catch (fault) {
    if (fault instanceof ToolError) return fault;
    throw fault;
  }
  throw new Error("nothing was refused");
}

function codeOf(act: () => unknown): string {
  return faultOf(act).code;
}
