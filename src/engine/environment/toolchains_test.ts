import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { findToolchains, type Toolchain } from "./toolchains.ts";

/** A home directory made of the given files; a value that begins with `->` is a link. */
function homeOf(workspace: TempWorkspace, files: Readonly<Record<string, string>>): string {
  const home = join(workspace.parent, "home");
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    if (content.startsWith("->")) symlinkSync(content.slice(2), path);
    else writeFileSync(path, content);
  }
  return home;
}

function find(workspace: TempWorkspace, home: string, path: string[], more: Record<string, string> = {}): Toolchain[] {
  const PATH = path.map((entry) => entry.startsWith("/") ? entry : join(home, entry)).join(":");
  return findToolchains({ environment: { PATH, ...more }, home, workspace: workspace.root });
}

function rootsOf(toolchains: readonly Toolchain[], home: string): string[] {
  return toolchains.flatMap(({ roots }) => roots).map((root) => root.replace(home + "/", "")).sort();
}

Deno.test("findToolchains() opens cargo's programs and rustup's toolchains, not cargo's credentials", () => {
  using workspace = new TempWorkspace();
  const home = homeOf(workspace, {
    ".cargo/bin/cargo": "",
    ".cargo/credentials.toml": "token",
    ".cargo/config.toml": "",
    ".rustup/toolchains/stable/bin/cargo": "",
    ".rustup/settings.toml": "",
  });
  const found = find(workspace, home, [".cargo/bin", "/usr/bin"]);
  deepStrictEqual(rootsOf(found, home), [".cargo/bin", ".rustup/settings.toml", ".rustup/toolchains"]);
  deepStrictEqual(Object.assign({}, ...found.map(({ env }) => env)), { RUSTUP_HOME: join(home, ".rustup") });
});

Deno.test("findToolchains() opens a node version of nvm without the npm configuration in it", () => {
  using workspace = new TempWorkspace();
  const version = ".nvm/versions/node/v20.1.0";
  const home = homeOf(workspace, {
    [`${version}/bin/node`]: "",
    [`${version}/bin/npm`]: "->../lib/node_modules/npm/bin/npm-cli.js",
    [`${version}/lib/node_modules/npm/bin/npm-cli.js`]: "",
    [`${version}/etc/npmrc`]: "//registry/:_authToken=x",
    [`${version}/etc/other`]: "",
    [`${version}/.npmrc`]: "secret",
    ".nvm/nvm.sh": "",
    ".npmrc": "secret",
  });
  const roots = rootsOf(find(workspace, home, [`${version}/bin`]), home);
  deepStrictEqual(roots, [".nvm/nvm.sh", `${version}/bin`, `${version}/etc/other`, `${version}/lib`]);
});

Deno.test("findToolchains() finds pyenv behind its shims and hands its root on", () => {
  using workspace = new TempWorkspace();
  const home = homeOf(workspace, {
    ".pyenv/shims/python": "",
    ".pyenv/versions/3.12.1/bin/python": "",
    ".pyenv/versions/3.12.1/pip.conf": "secret",
    ".pyenv/.git/config": "secret",
  });
  const found = find(workspace, home, [".pyenv/shims"]);
  deepStrictEqual(rootsOf(found, home), [".pyenv/shims", ".pyenv/versions/3.12.1/bin"]);
  strictEqual(found[0]?.env.PYENV_ROOT, join(home, ".pyenv"));
});

Deno.test("findToolchains() follows the links that pipx, uv and npm put into a directory of programs", () => {
  using workspace = new TempWorkspace();
  const home = homeOf(workspace, {
    ".local/bin/black": "->../share/pipx/venvs/black/bin/black",
    ".local/share/pipx/venvs/black/bin/black": "",
    ".local/share/pipx/venvs/black/lib/x.py": "",
    ".local/bin/ruff": "->../share/uv/tools/ruff/bin/ruff",
    ".local/share/uv/tools/ruff/bin/ruff": "",
    ".local/share/keyrings/login": "secret",
    ".local/bin/odd": "->../../.ssh/id_rsa",
    ".ssh/id_rsa": "secret",
  });
  const roots = rootsOf(find(workspace, home, [".local/bin"]), home);
  for (const wanted of [".local/bin", ".local/share/pipx/venvs/black/lib", ".local/share/uv/tools/ruff/bin"]) {
    ok(roots.includes(wanted), `${wanted} in ${roots.join(" ")}`);
  }
  deepStrictEqual(roots.filter((root) => /keyrings|ssh|share$/.test(root)), []);
});

Deno.test("findToolchains() opens an unknown prefix entry by entry and never a home directory", () => {
  using workspace = new TempWorkspace();
  const home = homeOf(workspace, {
    "tools/go1.22/bin/go": "",
    "tools/go1.22/src/x.go": "",
    "tools/go1.22/VERSION": "go1.22",
    "tools/go1.22/.env": "secret",
    "tools/go1.22/key.pem": "secret",
    "bin/mine": "",
    "projects/bin/run": "",
    "projects/other-app/config.yaml": "secret",
    "go/bin/gopls": "",
    "go/src/private/x.go": "secret",
    ".aws/credentials": "secret",
  });
  const roots = rootsOf(
    find(workspace, home, ["tools/go1.22/bin", "bin", "projects/bin", "go/bin", home, "/", ".aws", "relative"]),
    home,
  );
  deepStrictEqual(roots, [
    "bin",
    "go/bin",
    "projects/bin",
    "tools/go1.22/VERSION",
    "tools/go1.22/bin",
    "tools/go1.22/src",
  ]);
});

Deno.test("findToolchains() leaves out the system's own directories and those of the workspace", () => {
  using workspace = new TempWorkspace();
  const home = homeOf(workspace, { "x": "" });
  workspace.write("node_modules/.bin/tsc", "");
  deepStrictEqual(find(workspace, home, ["/usr/bin", "/bin", workspace.path("node_modules/.bin")]), []);
});

Deno.test("findToolchains() opens the directory of JAVA_HOME", () => {
  using workspace = new TempWorkspace();
  const home = homeOf(workspace, { "jdk/bin/java": "", "jdk/lib/modules": "", "jdk/conf/security/java.security": "" });
  const roots = rootsOf(find(workspace, home, [], { JAVA_HOME: join(home, "jdk") }), home);
  deepStrictEqual(roots, ["jdk/bin", "jdk/conf", "jdk/lib"]);
});

Deno.test("findToolchains() lets no link of the workspace choose what is opened", () => {
  using workspace = new TempWorkspace();
  const home = homeOf(workspace, {
    "secret/key.txt": "",
    "secret/bin/tool": "",
    ".bash_history": "",
    "bin/dev-tool": `->${workspace.root}/tool`,
    ".pyenv/versions/3.12/bin/python": "",
    ".pyenv/versions/mine": `->${workspace.root}/env`,
  });
  const place = join(workspace.root, ".venv/bin");
  mkdirSync(place, { recursive: true });
  symlinkSync(join(home, "secret/bin/tool"), join(place, "tool"));
  symlinkSync(join(home, ".bash_history"), join(place, "history"));
  symlinkSync("/etc/shadow", join(place, "shadow"));
  symlinkSync(join(home, ".bash_history"), join(workspace.root, "tool"));
  symlinkSync(join(home, "secret"), join(workspace.root, "env"));
  // A directory of the workspace that is itself a link, and one reached through it.
  deepStrictEqual(find(workspace, home, [place, join(workspace.root, "env"), join(workspace.root, "env/bin")]), []);
  // A link of the user's own that leads through the workspace.
  deepStrictEqual(rootsOf(find(workspace, home, ["bin"]), home), ["bin"]);
  // A manager's version that is such a link; and what an environment in the workspace rightly needs.
  symlinkSync(join(home, ".pyenv/versions/3.12/bin/python"), join(place, "python"));
  deepStrictEqual(rootsOf(find(workspace, home, [place]), home), [".pyenv/versions/3.12/bin"]);
  // A manager whose home is said to be in the workspace.
  deepStrictEqual(
    find(workspace, home, [join(workspace.root, "env/bin")], { PYENV_ROOT: join(workspace.root, "env") }),
    [],
  );
});
