import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import type { Config } from "../../config/config.ts";
import { prepareWritePaths } from "./prepare_write_paths.ts";

function within(act: (root: string, prepare: (...writePaths: string[]) => string[]) => void): void {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "vise-write-paths-")));
  const workspace = join(parent, "w");
  mkdirSync(workspace);
  try {
    act(workspace, (...writePaths) => {
      const config = { workspace, workspaceMutation: "structured-only", writePaths } as unknown as Config;
      return prepareWritePaths(config).map((path) => path.replace(workspace, "W"));
    });
  } finally {
    rmSync(parent, { recursive: true });
  }
}

Deno.test("prepareWritePaths() creates what is missing and gives canonical paths", () => {
  within((root, prepare) => {
    symlinkSync("real", join(root, "link"));
    mkdirSync(join(root, "real"));
    assert.deepEqual(prepare("build/out", "link", "./build/out/"), ["W/build/out", "W/real"]);
    assert.ok(existsSync(join(root, "build/out")));
  });
});

Deno.test("prepareWritePaths() drops paths outside, also behind links, and creates nothing there", () => {
  within((root, prepare) => {
    symlinkSync("..", join(root, "up"));
    assert.deepEqual(prepare("../other", "/etc", "up", "up/made"), []);
    assert.ok(!existsSync(join(root, "../made")));
    assert.ok(!existsSync(join(root, "../other")));
  });
});

Deno.test("prepareWritePaths() keeps only the outermost paths, which a command cannot swap", () => {
  within((root, prepare) => {
    mkdirSync(join(root, "a/b"), { recursive: true });
    symlinkSync("a/b", join(root, "inner"));
    assert.deepEqual(prepare("a", "a/b", "a/c", "inner", "ab"), ["W/a", "W/ab"]);
  });
});

Deno.test("prepareWritePaths() refuses a file and gives nothing in unrestricted mode", () => {
  within((root, prepare) => {
    writeFileSync(join(root, "file"), "");
    for (const path of ["file", "file/below"]) {
      assert.throws(() => prepare(path), (fault) => fault instanceof ToolError && fault.code === "INVALID_ARGUMENT");
    }
    const config = { workspace: root, workspaceMutation: "unrestricted", writePaths: ["a"] } as unknown as Config;
    assert.deepEqual(prepareWritePaths(config), []);
  });
});
