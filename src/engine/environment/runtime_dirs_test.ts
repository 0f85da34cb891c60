import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { testConfig } from "../../../tests/support/test_config.ts";
import { ToolError } from "../../base/tool_error.ts";
import { EnvironmentEngine } from "./environment_engine.ts";
import { RuntimeDirs, type RuntimeDirsOptions } from "./runtime_dirs.ts";

const UID = process.getuid?.() ?? null;

function dirsIn(workspace: TempWorkspace, changes: Partial<RuntimeDirsOptions> = {}): RuntimeDirs {
  const temp = join(workspace.parent, "temp");
  mkdirSync(temp, { recursive: true });
  return new RuntimeDirs({ root: workspace.root, runtimeRoot: null, cacheDir: null, uid: UID, temp, ...changes });
}

Deno.test("RuntimeDirs names its places first and creates them private at the first use", () => {
  using workspace = new TempWorkspace();
  const dirs = dirsIn(workspace);
  const named = dirs.paths;
  strictEqual(existsSync(dirname(dirname(named.instance))), false);
  ok(named.instance.startsWith(join(workspace.parent, "temp", `vise-${UID}`)), named.instance);
  deepStrictEqual(dirs.ensure(), named);
  for (const path of [dirname(named.instance), named.instance, named.home, named.tmp, named.cache]) {
    strictEqual(statSync(path).mode & 0o777, 0o700, path);
  }
  ok(dirs.holds(join(named.tmp, "x")) && dirs.holds(named.instance) && !dirs.holds(named.instance + "x"));
  dirs.close();
  deepStrictEqual(readdirSync(dirname(dirname(named.instance))), []);
  throws(() => dirs.ensure(), (fault) => fault instanceof ToolError && fault.code === "COMMAND_CLOSED");
});

Deno.test("RuntimeDirs removes read-only directories that a command left, and follows no link out of its tree", () => {
  using workspace = new TempWorkspace();
  workspace.write("keep.txt", "kept");
  const dirs = dirsIn(workspace);
  const { home, instance } = dirs.ensure();
  mkdirSync(join(home, "go/pkg"), { recursive: true });
  writeFileSync(join(home, "go/pkg/x"), "");
  symlinkSync(workspace.root, join(home, "go/link"));
  chmodSync(join(home, "go/pkg"), 0o555);
  chmodSync(join(home, "go"), 0o555);
  dirs.close();
  strictEqual(existsSync(instance), false);
  strictEqual(workspace.read("keep.txt"), "kept");
});

Deno.test("RuntimeDirs makes anew what a command removed or replaced, and follows no link that it left", () => {
  using workspace = new TempWorkspace();
  const dirs = dirsIn(workspace);
  const { home, tmp, cache } = dirs.ensure();
  writeFileSync(join(home, "kept"), "");
  rmSync(tmp, { recursive: true });
  rmSync(cache, { recursive: true });
  symlinkSync(workspace.root, cache);
  dirs.ensure();
  ok([home, tmp, cache].every((path) => lstatSync(path).isDirectory()));
  ok(existsSync(join(home, "kept")));
  rmSync(home, { recursive: true });
  writeFileSync(home, "");
  dirs.ensure();
  ok(lstatSync(home).isDirectory());
  deepStrictEqual(readdirSync(workspace.root), []);
  dirs.close();
});

Deno.test("RuntimeDirs uses neither a link nor somebody else's directory of the well-known name", () => {
  using workspace = new TempWorkspace();
  const temp = join(workspace.parent, "temp");
  const other = join(workspace.parent, "other");
  for (const path of [temp, other]) mkdirSync(path);
  symlinkSync(other, join(temp, `vise-${UID}`));
  const dirs = dirsIn(workspace);
  const { instance } = dirs.ensure();
  ok(!instance.startsWith(join(temp, `vise-${UID}/`)), instance);
  deepStrictEqual(readdirSync(other), []);
  dirs.close();
});

Deno.test("RuntimeDirs refuses a directory that others may write", () => {
  using workspace = new TempWorkspace();
  const given = join(workspace.parent, "open");
  mkdirSync(given);
  chmodSync(given, 0o777);
  const dirs = dirsIn(workspace, { runtimeRoot: given });
  throws(() => dirs.ensure(), (fault) => {
    return fault instanceof ToolError && fault.code === "RUNTIME_DIR_UNWRITABLE" &&
      /writable by others/.test(fault.message);
  });
});

Deno.test("RuntimeDirs never goes into the workspace", () => {
  using workspace = new TempWorkspace();
  const inside = dirsIn(workspace, { temp: workspace.root });
  strictEqual(inside.paths.instance.startsWith(workspace.root), false);
  const given = dirsIn(workspace, { runtimeRoot: join(workspace.root, "sub/dir") });
  throws(() => given.paths, (fault) => fault instanceof ToolError && fault.code === "INVALID_ARGUMENT");
});

Deno.test("RuntimeDirs says which directories it tried when none can be created", () => {
  using workspace = new TempWorkspace();
  workspace.write("../file", "");
  const dirs = dirsIn(workspace, { runtimeRoot: join(workspace.parent, "file/below") });
  throws(() => dirs.ensure(), (fault) => {
    return fault instanceof ToolError && fault.code === "RUNTIME_DIR_UNWRITABLE" &&
      (fault.details["attempted"] as string[])[0] === join(workspace.parent, "file/below");
  });
});

Deno.test("RuntimeDirs removes what an ended server left and keeps what a living one uses", async () => {
  using workspace = new TempWorkspace();
  const living = dirsIn(workspace);
  const { instance } = living.ensure();
  const group = dirname(instance);
  const leftBehind = (id: string, record: string | null) => {
    mkdirSync(join(group, id, "home"), { recursive: true });
    if (record !== null) writeFileSync(join(group, `${id}.owner`), record);
    writeFileSync(join(group, `${id}.gitconfig`), "");
  };
  const own = JSON.parse(Deno.readTextFileSync(join(group, `${instance.slice(group.length + 1)}.owner`)));
  leftBehind("ended", JSON.stringify({ ...own, pid: 999_999_999 }));
  leftBehind("reused", JSON.stringify({ ...own, startTime: "1" }));
  leftBehind("otherboot", JSON.stringify({ ...own, boot: "x" }));
  leftBehind("othercontainer", JSON.stringify({ ...own, pidNamespace: "pid:[1]" }));
  leftBehind("damaged", "{");
  leftBehind("young", null);
  const second = dirsIn(workspace);
  second.ensure();
  await second.cleaned;
  const left = readdirSync(group).filter((name) => lstatSync(join(group, name)).isDirectory());
  const ids = [instance, second.paths.instance].map((path) => path.slice(group.length + 1));
  deepStrictEqual(left.sort(), [...ids, "othercontainer", "damaged", "young"].sort());
  strictEqual(existsSync(join(group, "ended.gitconfig")), false);
  living.close();
  second.close();
});

Deno.test("a kept cache has a directory of its own for each workspace and outlives the server", () => {
  using workspace = new TempWorkspace();
  const cacheDir = join(workspace.parent, "cache");
  const dirs = dirsIn(workspace, { cacheDir });
  const { cache, instance } = dirs.ensure();
  strictEqual(dirname(cache), cacheDir);
  deepStrictEqual(dirs.writableRoots, [instance, cache]);
  dirs.close();
  strictEqual(existsSync(cache), true);
});

Deno.test("commands get the author and the ignore rules of the user, and nothing else of the git configuration", async () => {
  using workspace = new TempWorkspace();
  const home = join(workspace.parent, "home");
  mkdirSync(home);
  writeFileSync(
    join(home, ".gitconfig"),
    '[user]\n\tname = "A \\"B\\" C"\n\temail = a@example.com\n[core]\n\texcludesFile = ~/ignore\n\tautocrlf = input\n' +
      "\tsshCommand = evil\n[init]\n\tdefaultBranch = trunk\n[credential]\n\thelper = store\n",
  );
  writeFileSync(join(home, "ignore"), "*.secret\n");
  workspace.sh("git init -q && git config user.name Local");
  const engine = new EnvironmentEngine(testConfig(workspace.root, {
    environment: { PATH: Deno.env.get("PATH") ?? "", HOME: home },
    runtimeRoot: join(workspace.parent, "run"),
  }));
  const { env } = await engine.build();
  const path = env.GIT_CONFIG_GLOBAL as string;
  const git = (...args: string[]) =>
    new TextDecoder().decode(new Deno.Command("git", { args, env, clearEnv: true, cwd: home }).outputSync().stdout);
  strictEqual(git("config", "--global", "user.name"), 'A "B" C\n');
  strictEqual(git("config", "--global", "core.autocrlf"), "input\n");
  strictEqual(git("config", "--global", "init.defaultBranch"), "trunk\n");
  strictEqual(git("config", "--global", "safe.directory"), `${workspace.root}\n`);
  strictEqual(git("config", "--global", "core.sshCommand"), "");
  strictEqual(Deno.readTextFileSync(git("config", "--global", "core.excludesFile").trim()), "*.secret\n");
  strictEqual(statSync(path).mode & 0o777, 0o400);
  strictEqual(await engine.userExcludesFile(), join(home, "ignore"));
  engine.close();
  strictEqual(existsSync(path), false);
  await rejects(engine.build(), (fault) => fault instanceof ToolError && fault.code === "COMMAND_CLOSED");
});

Deno.test("an ignore file of the user that lies in the workspace is copied only while no link leads out of it", async () => {
  using workspace = new TempWorkspace();
  const home = join(workspace.parent, "home");
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), `[core]\n\texcludesFile = ${workspace.root}/ignore\n`);
  writeFileSync(join(home, "key"), "private\n");
  const copied = async (name: string) => {
    const engine = new EnvironmentEngine(testConfig(workspace.root, {
      environment: { PATH: Deno.env.get("PATH") ?? "", HOME: home },
      runtimeRoot: join(workspace.parent, name),
    }));
    const files = await engine.readableFiles();
    const contents = files.map((file) => Deno.readTextFileSync(file)).join("");
    engine.close();
    return contents;
  };
  workspace.write("ignore", "*.tmp\n");
  ok((await copied("first")).includes("*.tmp"));
  workspace.sh(`ln -sf ${join(home, "key")} ignore`);
  ok(!(await copied("second")).includes("private"));
});

Deno.test("the directories that are reported before they exist are those that commands get (Linux)", {
  ignore: Deno.build.os !== "linux",
}, () => {
  using workspace = new TempWorkspace();
  // Nothing can be made in /proc, whatever its mode says.
  const { instance } = dirsIn(workspace, { uid: 4_242_424, temp: "/proc" }).paths;
  strictEqual(instance.startsWith("/tmp/vise-4242424/"), true, instance);
  strictEqual(existsSync("/tmp/vise-4242424"), false);
});
