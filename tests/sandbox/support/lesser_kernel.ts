/** Starts the server on a kernel that lacks something: a seccomp filter of ours refuses the calls first. */

import { writeFileSync } from "node:fs";
import { serverCommand } from "../../support/server_command.ts";
import { openFileLimits } from "../../../src/platform/linux/open_file_limits.ts";
import { makeFilter } from "../../../src/platform/linux/seccomp.ts";
import type { Rule } from "../../../src/platform/linux/seccomp_rules.ts";
import { assembleTrampoline, nativeArchitecture } from "../../../src/platform/linux/trampoline.ts";
import { trampolineProgram } from "../../../src/platform/linux/trampoline_program.ts";

/** What the kernel seems to lack. */
export type Lack = "landlock" | "restrict_self" | "memfd" | "namespaces" | "seccomp";

const RULES: Readonly<Record<Lack, Rule>> = {
  landlock: {
    calls: ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"],
    answer: "ENOSYS",
    why: "a kernel before 5.13",
  },
  restrict_self: { calls: ["landlock_restrict_self"], answer: "EPERM", why: "a container filter with a gap" },
  memfd: { calls: ["memfd_create"], answer: "EACCES", why: "vm.memfd_noexec = 2" },
  namespaces: { calls: ["unshare"], answer: "EPERM", why: "user.max_user_namespaces = 0" },
  seccomp: { calls: ["seccomp"], answer: "ENOSYS", why: "a kernel without seccomp filters" },
};

/** Program and arguments that start the server without `lacks`; the launcher file goes to `directory`. */
export function lesserKernel(directory: string, lacks: readonly Lack[]): readonly [string, ...string[]] {
  const architecture = nativeArchitecture();
  if (architecture === null) throw new Error("no trampoline for this architecture");
  const image = assembleTrampoline(
    trampolineProgram({
      landlock: false,
      join: [],
      lastCapability: Deno.uid() === 0 ? 40 : null,
      filter: makeFilter(lacks.map((lack) => RULES[lack]), architecture),
      openFiles: openFileLimits(),
      end: { kind: "execve" },
    }),
    architecture,
  );
  const path = `${directory}/lesser-kernel`;
  writeFileSync(path, image, { mode: 0o755 });
  // A script, because the runtime's spawn rewrites command lines of shells that name the runtime.
  const [program, ...args] = serverCommand();
  const start = `${directory}/start-lesser-kernel`;
  const words = [path, program, program, ...args].map((word) => `'${word}'`).join(" ");
  writeFileSync(start, `#!/bin/sh\nexec ${words} "$@" 4>/dev/null\n`, { mode: 0o755 });
  return [start];
}
