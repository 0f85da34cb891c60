/** What developers do all day goes on working inside the sandbox, in safe mode, through the real server. */

import assert from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";
import { serverUsers } from "./support/other_user.ts";

interface Work {
  readonly name: string;
  /** Programs it needs; without one the test is ignored, visibly. */
  readonly needs: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly cmd: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** What standard output must match. */
  readonly expect: RegExp;
  readonly flags?: readonly string[];
}

const C_PROGRAM = `#include <stdio.h>
#include <pthread.h>
static void *work(void *n) { return (void *)((long)n * 2); }
int main(void) { pthread_t t; void *r; pthread_create(&t, 0, work, (void *)21L); pthread_join(t, &r); printf("built %ld\\n", (long)r); return 0; }
`;

/** A bare machine has no git identity to hand on. */
const IDENTITY = {
  env: {
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.com",
  },
};

const WORKS: readonly Work[] = [
  {
    name: "git makes a repository, commits, branches, merges, and shows its log through a pager setting",
    needs: ["git"],
    files: { "a.txt": "one\n" },
    cmd: "git init -q . && git add -A && git commit -qm first && git checkout -qb side && echo two >> a.txt && " +
      "git commit -qam second && git checkout -q - && git merge -q side && git log --oneline | wc -l && git status --short && git gc -q && git fsck",
    args: IDENTITY,
    expect: /^\s*2$/m,
  },
  {
    name: "git clones a local repository and fetches from it",
    needs: ["git"],
    files: { "a.txt": "one\n" },
    cmd:
      "git init -q one && cp a.txt one/ && git -C one add -A && git -C one commit -qm first && git clone -q one two && git -C two log --format=%s && git -C two fetch",
    args: IDENTITY,
    expect: /^first$/m,
  },
  {
    name: "make and gcc build and run a program with threads",
    needs: ["make", "gcc"],
    files: { "main.c": C_PROGRAM, Makefile: "prog: main.c\n\tgcc -O1 -o $@ $< -lpthread\n" },
    cmd: "make && ./prog && make -j4 -B -s",
    expect: /^built 42$/m,
  },
  {
    name: "node runs workers, child processes and timers, and lists network interfaces",
    needs: ["node"],
    files: {
      "main.js": `const { Worker, isMainThread, parentPort } = require("worker_threads");
const { execFileSync, spawn } = require("child_process");
require("os").networkInterfaces();
if (!isMainThread) parentPort.postMessage("worker");
else { new Worker(__filename).on("message", (m) => { console.log(m, execFileSync("echo", ["child"]).toString().trim());
  spawn(process.execPath, ["-e", "process.send('ipc')"], { stdio: ["ignore", "inherit", "inherit", "ipc"] }).on("message", (x) => console.log(x)); }); }
`,
    },
    cmd: "node main.js",
    expect: /^worker child\nipc$/m,
  },
  {
    name: "npm test runs the scripts of a package",
    needs: ["npm"],
    files: {
      "package.json": '{"name":"x","version":"1.0.0","scripts":{"test":"node --test"}}',
      "a.test.js": 'require("node:test")("adds", () => require("node:assert").equal(1 + 1, 2));\n',
    },
    cmd: "npm test 2>&1",
    expect: /pass 1/,
  },
  {
    name: "python runs unit tests, a process pool, temporary files and sqlite",
    needs: ["python3"],
    files: {
      "test_all.py": `import concurrent.futures, multiprocessing, sqlite3, subprocess, tempfile, unittest
def double(n):
    return n * 2
class All(unittest.TestCase):
    def test_pool(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.assertEqual(list(pool.map(double, [1, 2])), [2, 4])
    def test_queue(self):
        queue = multiprocessing.Queue(); queue.put(3); self.assertEqual(queue.get(timeout=10), 3)
    def test_files(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x")
    def test_sqlite(self):
        with sqlite3.connect("a.db") as db:
            db.execute("create table t(x)"); db.execute("insert into t values(1)")
    def test_child(self):
        self.assertEqual(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout, "hi\\n")
`,
    },
    cmd: "python3 -m unittest 2>&1",
    expect: /Ran 5 tests[^]*OK/,
  },
  {
    name: "python makes a virtual environment",
    needs: ["python3"],
    cmd: "python3 -m venv --without-pip venv && ./venv/bin/python -m platform",
    expect: /Linux/,
  },
  {
    name: "cargo builds and runs a package offline",
    needs: ["cargo"],
    files: {
      "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/main.rs": 'fn main() { println!("rust {}", 6 * 7); }\n',
    },
    cmd: "cargo run --offline -q",
    args: { timeout_ms: 120_000 },
    expect: /^rust 42$/m,
  },
  {
    name: "go builds and runs a module",
    needs: ["go"],
    files: { "go.mod": "module x\n\ngo 1.20\n", "main.go": 'package main\n\nfunc main() { println("go") }\n' },
    cmd: "go build -o prog . && ./prog 2>&1",
    args: { timeout_ms: 120_000 },
    expect: /^go$/m,
  },
  {
    name: "sqlite3 writes and reads a database",
    needs: ["sqlite3"],
    cmd: `sqlite3 a.db 'create table t(x); insert into t values(41); update t set x=x+1; select x from t;'`,
    expect: /^42$/m,
  },
  {
    name: "shell tools sort, archive, lock, page and list processes",
    needs: ["tar", "flock", "less", "ps"],
    cmd: "seq 100000 | sort -rn -S 1M | head -n1 && mkdir d && echo x > d/f && " +
      "tar czf d.tgz d && tar tzf d.tgz | wc -l && flock d echo locked && ls -la | less && ps -o comm= | grep -c ps && mkfifo p && (echo fifo > p & cat p) && mktemp && nproc && df . | wc -l",
    expect: /^100000\n2\nlocked\n[^]*^fifo$/m,
  },
  {
    name: "a program gets a terminal, its name and size, and can open it again",
    needs: ["stty", "tty"],
    cmd: "tty && stty size && echo again > /dev/tty",
    args: { tty: true },
    expect: /\/dev\/pts\/\d+\s+24 80\s+again/,
  },
  {
    name: "script and Python make terminals of their own",
    needs: ["python3"],
    files: { "pty_test.py": 'import pty\npty.spawn(["echo", "in a terminal"])\n' },
    cmd: "python3 pty_test.py",
    expect: /in a terminal/,
  },
  {
    name: "a debugger traces its own child",
    needs: ["gcc", "gdb"],
    files: { "main.c": C_PROGRAM },
    cmd: "gcc -g -o prog main.c -lpthread && gdb -q -batch -ex 'break main' -ex run -ex bt -ex kill ./prog 2>&1",
    expect: /#0 +main/,
  },
  {
    name: "names of users and services are known, and the time zone can be read",
    needs: ["getent", "id"],
    cmd: "getent passwd root | cut -d: -f1 && getent services ssh | head -c3 && id -un && date +%Z",
    expect: /^root\nssh/,
  },
  {
    name: "perl loads modules of the distribution",
    needs: ["perl"],
    files: {
      "a.pl":
        'use File::Temp; use POSIX; use Socket; use Data::Dumper; print "perl ", strftime("%Y", gmtime(0)), "\\n";\n',
    },
    cmd: "perl a.pl",
    expect: /^perl 1970$/m,
  },
  {
    name: "a test that opens local servers works with a loopback of its own",
    needs: ["python3"],
    flags: ["--network", "loopback"],
    files: {
      "serve.py": `import http.server, threading, urllib.request
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/serve.py").status)
server.shutdown()
`,
    },
    cmd: "python3 serve.py 2>/dev/null",
    expect: /^200$/m,
  },
];

async function missing(needs: readonly string[], path: string): Promise<string[]> {
  const absent: string[] = [];
  for (const name of needs) {
    const probe = new Deno.Command("sh", { args: ["-c", `command -v ${name}`], env: { PATH: path }, stdout: "null" });
    if (!(await probe.output()).success) absent.push(name);
  }
  return absent;
}

for (const user of serverUsers()) {
  for (const work of WORKS) {
    // Toolchains in root's home are no toolchains of another user.
    const entries = (Deno.env.get("PATH") ?? "").split(":");
    const path = entries.filter((entry) => user.uid === Deno.uid() || !entry.startsWith("/root")).join(":");
    const absent = await missing(work.needs, path);
    const reason = absent.length > 0 ? ` (needs ${absent.join(", ")})` : "";
    Deno.test({
      name: `as ${user.name}, ${work.name}${reason}`,
      ignore: absent.length > 0 || Deno.build.os !== "linux",
      async fn() {
        using workspace = new TempWorkspace();
        for (const [name, content] of Object.entries(work.files ?? {})) workspace.write(name, content);
        if (user.uid !== Deno.uid()) {
          await new Deno.Command("chown", { args: ["-R", `${user.uid}:${user.uid}`, workspace.parent] }).output();
        }
        const own = { DENO_DIR: `${workspace.parent}/deno`, HOME: workspace.parent };
        const home = user.uid === Deno.uid() ? { HOME: Deno.env.get("HOME") ?? "/", DENO_DIR: denoDir() } : own;
        await using vise = new ViseProcess(workspace.root, {
          flags: work.flags ?? [],
          bareEnv: { PATH: path, TMPDIR: "/tmp", ...home },
          command: await user.command(),
        });
        const value = await vise.value("exec_command", { cmd: work.cmd, yield_time_ms: 30_000, ...work.args });
        let { stdout } = value;
        for (let turn = 0; value.status === "running" && turn < 10; turn++) {
          const more = await vise.value("write_stdin", { command_id: value.command_id, yield_time_ms: 30_000 });
          stdout += more.stdout;
          if (more.status !== "running") break;
        }
        assert.match(stdout.replaceAll("\r", ""), work.expect, JSON.stringify(value, null, 1));
        assert.equal(value.sandbox.filesystem, "confined", "the work was not confined");
      },
    });
  }
}

function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
}
