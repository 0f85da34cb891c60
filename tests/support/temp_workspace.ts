/** A fresh directory for one test, removed when it goes out of scope. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Holds the workspace and, beside it, what must lie outside. */
export class TempWorkspace implements Disposable {
  /** Canonical path of the workspace; its parent holds nothing else. */
  readonly root: string;
  readonly parent: string;

  /** `base`: directory to make it in, such as a file system in memory for tests that force much to the disk. */
  constructor(name = "work", base = tmpdir()) {
    this.parent = realpathSync(mkdtempSync(join(base, "vise-test-")));
    this.root = join(this.parent, name);
    mkdirSync(this.root);
  }

  /** Absolute path of `name`, which need not exist. */
  path(name: string): string {
    return join(this.root, name);
  }

  /** Writes a file and makes its directories; `mode` are its permission bits. */
  write(name: string, content: string | Uint8Array, mode?: number): void {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    if (mode !== undefined) chmodSync(path, mode);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  bytes(name: string): Uint8Array {
    return new Uint8Array(readFileSync(this.path(name)));
  }

  exists(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** Runs a shell script with the workspace as current directory and returns its standard output. */
  sh(script: string): string {
    const env = { PATH: Deno.env.get("PATH") ?? "", HOME: this.parent, LANG: "C.UTF-8", GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("/bin/sh", ["-ec", script], {
      cwd: this.root,
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.parent, { recursive: true, force: true });
  }
}
