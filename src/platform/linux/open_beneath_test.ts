import assert from "node:assert/strict";
import { SystemError } from "../errno.ts";
import { closeDescriptor, factsOfDescriptor, type FileLibc, fileLibc } from "./file_calls.ts";
import { openBeneath, openRootDirectory } from "./open_beneath.ts";
import { O_DIRECTORY, O_PATH, O_RDONLY } from "./open_flags.ts";

const ignore = Deno.build.os !== "linux";
if (ignore) console.warn("ignored: openat2 belongs to Linux");
/** A number that no system call has, so that the kernel answers ENOSYS as an old one does for openat2. */
const NO_SUCH_CALL = 9_999n;

// The test without openat2 comes last: the process remembers that the call is missing.
for (const kernel of ["this kernel", "a kernel without openat2"]) {
  Deno.test(`openBeneath() reaches what lies beneath and nothing else on ${kernel}`, { ignore }, () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "vise-beneath-" }));
    const real = fileLibc() as FileLibc;
    const libc = kernel === "this kernel" ? real : withoutOpenat2(real);
    const directory = openRootDirectory(libc, root);
    try {
      Deno.mkdirSync(`${root}/a/b`, { recursive: true });
      Deno.writeTextFileSync(`${root}/a/b/f`, "12345");
      Deno.symlinkSync("a", `${root}/inner`);
      Deno.symlinkSync("/etc", `${root}/outer`);
      Deno.symlinkSync("f", `${root}/a/b/link`);
      const outcome = (path: string, flags: number): string => {
        try {
          const fd = openBeneath(libc, { directory, path, flags });
          const { kind, size } = factsOfDescriptor(libc, fd, path);
          closeDescriptor(libc, fd);
          return kind === "file" ? `file of ${size}` : kind;
        } catch (fault) {
          if (fault instanceof SystemError) return fault.errno;
          throw fault;
        }
      };
      const table: [string, number, string][] = [
        ["a/b/f", O_RDONLY, "file of 5"],
        ["a//./b/f", O_RDONLY, "file of 5"],
        [".", O_RDONLY | O_DIRECTORY, "directory"],
        ["a/b", O_PATH, "directory"],
        ["inner", O_PATH, "symlink"],
        ["inner", O_RDONLY | O_DIRECTORY, "ELOOP"],
        ["inner/b/f", O_RDONLY, "ELOOP"],
        ["inner/b/f", O_PATH, "ELOOP"],
        ["a/b/link", O_RDONLY, "ELOOP"],
        ["outer/hostname", O_RDONLY, "ELOOP"],
        ["a/b/f/x", O_RDONLY, "ENOTDIR"],
        ["a/b/f", O_RDONLY | O_DIRECTORY, "ENOTDIR"],
        ["a/none", O_RDONLY, "ENOENT"],
        ["none/f", O_RDONLY, "ENOENT"],
        ["../x", O_RDONLY, "EXDEV"],
      ];
      for (const [path, flags, expected] of table) assert.equal(outcome(path, flags), expected, `${path} ${flags}`);
    } finally {
      closeDescriptor(libc, directory);
      Deno.removeSync(root, { recursive: true });
    }
  });
}

function withoutOpenat2(libc: FileLibc): FileLibc {
  return { ...libc, openat2: (_number, ...rest) => libc.openat2(NO_SUCH_CALL, ...rest) };
}
