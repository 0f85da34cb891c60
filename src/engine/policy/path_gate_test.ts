import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { PermissionMode } from "../../config/config.ts";
import { escapingPath } from "./path_gate.ts";
import { readShell } from "./read_shell.ts";
import { literalWord } from "./shell_reading.ts";

/** The paths that are looked up, in order; none leads outside. */
function looked(cmd: string): string {
  const paths: string[] = [];
  escapingPath(readShell(cmd), {
    mode: "safe",
    locate: (path) => {
      paths.push(path);
      return "inside";
    },
    isRuntimePath: () => false,
  });
  return paths.join(" ");
}

function escape(cmd: string, mode: PermissionMode = "safe"): string | null {
  return escapingPath(readShell(cmd), {
    mode,
    locate: (path) => path.startsWith("out") ? "outside" : "inside",
    isRuntimePath: (path) => path.startsWith("/run/vise/"),
  });
}

Deno.test("every word of a command on files that looks like a path is one, options left out", () => {
  const commands = "cat cd chdir chmod chown cp head less ln ls mkdir more mv rm rmdir stat tail touch wc".split(" ");
  for (const name of commands) strictEqual(looked(`${name} -x/y a.txt b/c plain`), "a.txt b/c", name);
  strictEqual(looked("cat -- -a.txt -b.txt"), "-a.txt -b.txt");
  strictEqual(looked("cat a.x -- b.x -c.x"), "a.x b.x -c.x");
  strictEqual(looked("-- a.x"), "");
  strictEqual(looked("cat -- b.x"), "b.x");
  strictEqual(looked("echo a.txt b/c"), "");
});

Deno.test("the pattern of a search is no path, its files are", () => {
  strictEqual(looked("grep a.b f.x g/h i"), "f.x g/h");
  for (const name of ["grep", "egrep", "fgrep"]) {
    strictEqual(looked(`${name} -A 1.5 -m 2.0 -d x.y a.b f.x`), "f.x", name);
    strictEqual(looked(`${name} -e a.b f.x`), "f.x", name);
    strictEqual(looked(`${name} --regexp a.b f.x`), "f.x", name);
    strictEqual(looked(`${name} --file p.txt f.x`), "f.x", name);
  }
  strictEqual(looked("rg -g *.ts -t a.b -M 1.0 x.y f.x"), "f.x");
  for (const option of "--glob --iglob --type --type-not --replace --max-depth --sort".split(" ")) {
    strictEqual(looked(`rg ${option} v.w x.y f.x`), "f.x", option);
  }
  strictEqual(looked("rg --regexp a.b f.x"), "f.x");
  strictEqual(looked("rg --file p.q f.x"), "f.x");
  strictEqual(looked("rg --files a.x b.x"), "a.x b.x");
  strictEqual(looked("grep --files a.x b.x"), "b.x");
  strictEqual(looked("rg -v a.x b.x"), "b.x");
  strictEqual(looked("rg a.x b.x"), "b.x");
  strictEqual(looked("sed s/a/b/ f.x"), "f.x");
  strictEqual(looked("sed -l 1.0 s/a/b/ f.x"), "f.x");
  for (const option of ["-e", "--expression", "-f", "--file"]) {
    strictEqual(looked(`sed ${option} s/a/ f.x`), "f.x", option);
  }
  strictEqual(looked("sed --line-length 1.0 s/a/b/ f.x"), "f.x");
  for (const name of ["awk", "gawk"]) {
    strictEqual(looked(`${name} -F . {print/a} f.x`), "f.x", name);
    strictEqual(looked(`${name} --field-separator a.b p.q f.x`), "f.x", name);
    strictEqual(looked(`${name} --assign a=b.c p.q f.x`), "f.x", name);
    strictEqual(looked(`${name} --file p.awk f.x`), "f.x", name);
  }
  strictEqual(looked("grep -ie a.b f.x"), "f.x");
  strictEqual(looked("grep -c a.b f.x"), "f.x");
  strictEqual(looked("grep --filexy a.b f.x"), "f.x");
});

Deno.test("where find starts is a path, its tests are none", () => {
  strictEqual(looked("find a.x b/c -name d/e"), "a.x b/c");
  strictEqual(looked("find -H -L -P -O -O3 a/b -newer c/d"), "a/b");
  strictEqual(looked("find -Ox a/b"), "");
  strictEqual(looked("find -O33 a/b"), "");
  strictEqual(looked("find a/b '!' -path c/d"), "a/b");
  strictEqual(looked("find a/b '(' -path c/d ')'"), "a/b");
  strictEqual(looked("find a-L/b c-d/e"), "a-L/b c-d/e");
  strictEqual(looked("find src"), "");
  strictEqual(looked("find x/a-L"), "x/a-L");
});

Deno.test("the directory of env and the script of an interpreter are paths", () => {
  strictEqual(looked("env -C a/b ls"), "a/b");
  strictEqual(looked("env --chdir a/b ls"), "a/b");
  strictEqual(looked("env -iC a/b ls"), "a/b");
  strictEqual(looked("env -u a/b ls"), "");
  strictEqual(looked("env --argv0 a/b ls"), "");
  strictEqual(looked("env --chdirs=a/b ls"), "");
  strictEqual(looked("env -C"), "");
  strictEqual(looked("env --x-C=a/b ls"), "");
  strictEqual(looked("python x"), "x");
  strictEqual(looked("bash a/b.sh"), "a/b.sh");
});

Deno.test("the target of a redirection is a path, a descriptor is none", () => {
  strictEqual(looked("echo > f"), "f");
  strictEqual(looked("echo 2>&1 >&2- <&- 12>&13"), "");
  strictEqual(looked("echo > 1"), "1");
  strictEqual(looked("echo >& f"), "f");
  strictEqual(looked("echo >& 1f"), "1f");
  strictEqual(looked("echo >& f1"), "f1");
  strictEqual(looked("echo &> 1x"), "1x");
});

Deno.test("a word looks like a path by a slash, a dot in its last part, a tilde, or a drive", () => {
  deepStrictEqual(["cat a", "cat a.b", "cat a/b", "cat .", "cat a.b/c", "cat C:\\\\x"].map(looked), [
    "",
    "a.b",
    "a/b",
    ".",
    "a.b/c",
    "",
  ]);
  deepStrictEqual([escape("cat ~"), escape("cat ~user"), escape("cat .."), escape("cat 'C:\\x'"), escape("cat c:/x")], [
    "~",
    "~user",
    "..",
    "C:\\x",
    "c:/x",
  ]);
  strictEqual(looked("cat 'xC:\\a'"), "");
  deepStrictEqual([escape("cat xC:/a"), escape("cat 1:/a"), escape("cat C:x")], [null, null, null]);
});

Deno.test("an address is no path", () => {
  for (const address of ["http://x/../y", "file:///etc/passwd", "a+b-1.2://c/..", "s://.."]) {
    strictEqual(escape(`cat ${address}`), null, address);
    strictEqual(escape(`echo > ${address}`), null, address);
  }
  strictEqual(escape("cat 1a://x/../y"), "1a://x/../y");
  strictEqual(escape("cat out/a://x"), "out/a://x");
  strictEqual(escape("cat a_b://../y"), "a_b://../y");
  strictEqual(escape("echo > out/a://x"), "out/a://x");
  strictEqual(escape("echo > 1a://../x"), "1a://../x");
});

Deno.test("devices and empty words are no paths", () => {
  for (
    const name of ["null", "zero", "random", "urandom", "stdin", "stdout", "stderr", "tty", "full", "fd/3", "fd/12"]
  ) {
    strictEqual(escape(`echo > /dev/${name}`), null, name);
  }
  for (const name of ["null2", "sda", "fd/", "fd/x", "fd/3x"]) {
    strictEqual(escape(`echo > /dev/${name}`), `/dev/${name}`, name);
  }
  strictEqual(escape("echo > out/dev/null"), "out/dev/null");
  strictEqual(looked("echo > ''"), "");
  const redirected = (value: string) => {
    const reading = { ...readShell(""), redirects: [{ operator: ">", target: literalWord(value) }] };
    return escapingPath(reading, { mode: "safe", locate: () => "outside", isRuntimePath: () => false });
  };
  deepStrictEqual(["", "-", "--", "---"].map(redirected), [null, null, null, "---"]);
});

Deno.test("absolute paths leave the workspace, but for those of the commands' own directories", () => {
  strictEqual(escape("cat /etc/passwd"), "/etc/passwd");
  strictEqual(escape("cat /run/vise/tmp/a"), null);
  strictEqual(escape("cat /run/vise/../x"), "/run/vise/../x");
  strictEqual(escape("cat /run/vise/$X"), "/run/vise/$X");
  strictEqual(escape("echo > '\\etc\\x'"), "\\etc\\x");
  strictEqual(escape("cat a.x /b.x /c.x"), "/b.x");
});

Deno.test("in trusted mode /proc is left to the kernel", () => {
  deepStrictEqual([escape("cat /proc/1/maps"), escape("cat /proc/1/maps", "trusted")], ["/proc/1/maps", null]);
  strictEqual(escape("cat /proc/../etc/x", "trusted"), "/proc/../etc/x");
  strictEqual(escape("cat out/proc/x", "trusted"), "out/proc/x");
  strictEqual(escape("cat /x/proc/y", "trusted"), "/x/proc/y");
});

Deno.test("relative paths leave it by .. or by where they lead; what only the shell knows is the kernel's to judge", () => {
  deepStrictEqual([escape("cat out/x"), escape("cat a/../b"), escape("cat a..b/c"), escape("cat in/x")], [
    "out/x",
    "a/../b",
    null,
    null,
  ]);
  deepStrictEqual([escape("cat out$X/y"), escape("cat $X/../y"), escape("cat ~/x")], [null, "$X/../y", "~/x"]);
  strictEqual(escape("cat 'a\\..\\b'"), "a\\..\\b");
});
