/** The machine code: read back by a disassembler, and run where the processor or an emulator can. */

import assert from "node:assert/strict";
import { assembleTrampoline, nativeArchitecture } from "./trampoline.ts";
import { type TrampolineOptions, type TrampolineProgram, trampolineProgram } from "./trampoline_program.ts";
import { namespaceProgram } from "./namespace_program.ts";
import { makeFilter } from "./seccomp.ts";
import { seccompRules } from "./seccomp_rules.ts";
import type { Architecture } from "./syscalls.ts";
import { TRAMPOLINE_STEPS } from "./trampoline_steps.ts";

const OBJDUMP = { x86_64: ["objdump", "x86_64-linux-gnu-objdump"], aarch64: ["aarch64-linux-gnu-objdump"] } as const;
const DISASSEMBLE = {
  x86_64: ["-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel"],
  aarch64: ["-D", "-b", "binary", "-m", "aarch64"],
} as const;
/** Headers before the code (elf.ts). */
const CODE_OFFSET = 64 + 2 * 56;
const SYSCALL = { x86_64: /\bsyscall\b/g, aarch64: /\bsvc\b/g } as const;

const FULL: TrampolineOptions = {
  landlock: true,
  join: ["user", "ipc", "mount", "network"],
  lastCapability: 40,
  filter: makeFilter(seccompRules({ network: "none", landlock: true }), "x86_64"),
  openFiles: { soft: 1024n, hard: 4096n },
  end: { kind: "execve" },
};
/** What an emulator of user programs can do: no Landlock, no seccomp. */
const PLAIN: TrampolineOptions = { ...FULL, landlock: false, join: [], lastCapability: null, filter: new Uint8Array() };

/** The program's path, or null when no name of it is installed. */
function find(names: readonly string[]): string | null {
  for (const name of names) {
    const { success } = new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stdout: "null" }).outputSync();
    if (success) return name;
  }
  return null;
}

function missing(what: string): true {
  console.warn(`ignored: ${what} is not there`);
  return true;
}

const emulator = find(["qemu-aarch64", "qemu-aarch64-static"]);

function disassemble(image: Uint8Array, tool: string, architecture: Architecture): string {
  const directory = Deno.makeTempDirSync();
  try {
    Deno.writeFileSync(`${directory}/image`, image);
    const code = image.length; // the data behind the code disassembles to nonsense, which is cut off below
    const args = [...DISASSEMBLE[architecture], `--start-address=${CODE_OFFSET}`, `--stop-address=${code}`];
    const output = new Deno.Command(tool, { args: [...args, `${directory}/image`] }).outputSync();
    return new TextDecoder().decode(output.stdout);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

for (const architecture of ["x86_64", "aarch64"] as const) {
  const tool = find(OBJDUMP[architecture]);
  const ignore = tool === null && missing(`a disassembler for ${architecture}`);

  Deno.test({
    name: `the trampoline for ${architecture} disassembles to its system calls in the order of its steps`,
    ignore,
    fn() {
      const program = trampolineProgram(FULL);
      const text = disassemble(assembleTrampoline(program, architecture), tool as string, architecture);
      const code = text.split(architecture === "x86_64" ? /\bud2\b/ : /\bbrk\b/)[0] as string;
      assert.ok(!code.includes("(bad)") && !code.includes("undefined"), code);
      // Every call of the program, then the report and the end of a failure.
      const calls = program.actions.filter((action) => action.kind === "call").length;
      assert.equal(code.match(SYSCALL[architecture])?.length, calls + 2);
      const expected = architecture === "x86_64"
        ? [/mov +rax,QWORD PTR \[rsp\]/, /mov +r12,QWORD PTR \[rsp\+0x10\]/, /lea +r14,\[rsp\+rax\*8\+0x10\]/]
        : [/ldr\tx9, \[sp\]/, /ldr\tx19, \[sp, #16\]/, /add\tx21, x21, x9, lsl #3/, /sub\tx23, sp, #0x2, lsl #12/];
      for (const pattern of expected) assert.match(code, pattern);
      // The last call before the failure exit is execve, with all three pointers of the entry.
      const end = architecture === "x86_64"
        ? /mov +rdi,r12\s[^]*mov +rsi,r13\s[^]*mov +rdx,r14\s[^]*mov +eax,0x3b\s[^]*syscall/
        : /mov\tx0, x19\s[^]*mov\tx1, x20\s[^]*mov\tx2, x21\s[^]*mov\tx8, #0xdd [^]*svc\t#0x0/;
      assert.match(code, end);
    },
  });

  Deno.test({
    name: `the namespace holder for ${architecture} disassembles without an unknown instruction and waits at its end`,
    ignore,
    fn() {
      const program = namespaceProgram({ user: { uid: 1, gid: 2 }, network: true, writable: ["/a", "/b"] });
      const text = disassemble(assembleTrampoline(program, architecture), tool as string, architecture);
      const code = text.split(architecture === "x86_64" ? /\bud2\b/ : /\bbrk\b/)[0] as string;
      assert.ok(!code.includes("(bad)") && !code.includes("undefined"), code);
      assert.match(code, architecture === "x86_64" ? /jmp +0x/ : /\tb\t0x/);
    },
  });
}

Deno.test("the executable has one readable and executable segment and a stack that is not executable", () => {
  for (const architecture of ["x86_64", "aarch64"] as const) {
    const image = assembleTrampoline(trampolineProgram(FULL), architecture);
    const view = new DataView(image.buffer);
    const segments = [64, 120].map((at) => [view.getUint32(at, true), view.getUint32(at + 4, true)]);
    assert.deepEqual(segments, [[1, 5], [0x6474e551, 6]]);
    assert.equal(Number(view.getBigUint64(24, true)), 0x400000 + CODE_OFFSET);
    assert.ok(image.length < 8192, `${image.length} bytes`);
  }
});

Deno.test("trampolineProgram() lays the steps in their order and drops every capability but the file ones", () => {
  const program = trampolineProgram(FULL);
  const steps = program.actions.flatMap((action) =>
    action.kind === "call" && action.step !== null ? [action.step] : []
  );
  assert.deepEqual([...steps].sort((a, b) => a - b), steps);
  assert.deepEqual(new Set(steps), new Set([1, 2, 3, 4, 5, 6, 7, 8]));
  const dropped = program.actions.flatMap((action) =>
    action.kind === "call" && action.name === "prctl" && action.arguments[0] === 24 ? [action.arguments[1]] : []
  );
  assert.deepEqual(dropped, [...Array(41).keys()].filter((capability) => capability > 4));
});

/** The program as it can run here: qemu wants to write to the header of capset(2), which lies in read-only memory. */
function runnable(program: TrampolineProgram, emulator: string | null): TrampolineProgram {
  if (emulator === null) return program;
  return {
    ...program,
    actions: program.actions.filter((action) => action.kind !== "call" || action.name !== "capset"),
  };
}

/** Runs an image with a file as its status descriptor. */
async function run(
  image: Uint8Array,
  options: { emulator: string | null; argv: readonly string[]; limitSeconds?: number },
): Promise<{ code: number; stdout: string; report: Uint8Array }> {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${directory}/image`, image, { mode: 0o500 });
    const limit = options.limitSeconds === undefined ? "" : `timeout ${options.limitSeconds} `;
    const start = limit + (options.emulator === null ? `"$0/image"` : `${options.emulator} "$0/image"`);
    const output = await new Deno.Command("sh", {
      args: ["-c", `exec 3>&- 4>"$0/report"; exec ${start} "$@"`, directory, ...options.argv],
      cwd: directory,
    }).output();
    const report = await Deno.readFile(`${directory}/report`);
    return { code: output.code, stdout: new TextDecoder().decode(output.stdout), report };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const runners: { architecture: Architecture; emulator: string | null; ignore: boolean }[] = [
  { architecture: "aarch64", emulator, ignore: emulator === null && missing("qemu-user for arm64") },
];
const native = nativeArchitecture();
if (native !== null) runners.push({ architecture: native, emulator: null, ignore: false });

for (const { architecture, emulator, ignore } of runners) {
  const how = emulator === null ? "natively" : "under an emulator";

  Deno.test({
    name: `the trampoline for ${architecture}, run ${how}, executes a program with its arguments and environment`,
    ignore,
    async fn() {
      const image = assembleTrampoline(runnable(trampolineProgram(PLAIN), emulator), architecture);
      const script = 'echo "$0 $1 $2 $(ulimit -n) $(ulimit -Hn) $(ulimit -Hc)"';
      const result = await run(image, { emulator, argv: ["/bin/sh", "sh", "-c", script, "zero", "one", "two words"] });
      // An emulator reports its own limits for some resources; the soft one is what the step sets.
      assert.match(result.stdout, emulator === null ? /^zero one two words 1024 4096 0$/m : /^zero one two words /m);
      assert.equal(result.report.length, 0);
      assert.equal(result.code, 0);
    },
  });

  Deno.test({
    name: `the trampoline for ${architecture}, run ${how}, reports the step and the error number of a failure`,
    ignore,
    async fn() {
      const image = assembleTrampoline(runnable(trampolineProgram(PLAIN), emulator), architecture);
      const result = await run(image, { emulator, argv: ["/nonexistent/program", "x"] });
      assert.equal(result.code, 126);
      const view = new DataView(result.report.buffer);
      assert.equal(result.report.length, 8);
      assert.equal(TRAMPOLINE_STEPS[view.getInt32(0, true) as 8], "execve");
      assert.equal(view.getInt32(4, true), 2); // ENOENT
    },
  });

  Deno.test({
    name: `the trampoline for ${architecture}, run ${how}, starts nothing when a step before the program fails`,
    ignore,
    async fn() {
      // Descriptor 3 is closed: there is no ruleset to apply (an emulator may not know the call at all).
      const program = trampolineProgram({ ...PLAIN, landlock: true });
      const image = assembleTrampoline(runnable(program, emulator), architecture);
      const result = await run(image, { emulator, argv: ["/bin/echo", "echo", "escaped"] });
      assert.equal(result.stdout, "");
      assert.equal(result.code, 126);
      const view = new DataView(result.report.buffer);
      assert.equal(TRAMPOLINE_STEPS[view.getInt32(0, true) as 4], "landlock");
      assert.ok([9, 38].includes(view.getInt32(4, true))); // EBADF, ENOSYS
    },
  });

  Deno.test({
    name: `a probing trampoline for ${architecture}, run ${how}, tells whether the path could be opened`,
    ignore,
    async fn() {
      for (const [path, errno] of [["/", 0], ["/nonexistent", 2]] as const) {
        const program = runnable(trampolineProgram({ ...PLAIN, end: { kind: "probe", path } }), emulator);
        const result = await run(assembleTrampoline(program, architecture), { emulator, argv: [] });
        const view = new DataView(result.report.buffer);
        assert.deepEqual([view.getInt32(0, true), view.getInt32(4, true)], [9, errno]);
        assert.equal(result.code, 0);
      }
    },
  });

  Deno.test({
    name: `the namespace holder for ${architecture}, run ${how}, raises its loopback, reports, and waits to be ended`,
    ignore: ignore || !mayMakeNamespaces(),
    async fn() {
      const program = namespaceProgram({ user: null, network: true, writable: null });
      const image = assembleTrampoline(program, architecture);
      const result = await run(image, { emulator, argv: [], limitSeconds: 1 });
      const view = new DataView(result.report.buffer);
      assert.deepEqual([view.getInt32(0, true), view.getInt32(4, true)], [2, 0]);
      assert.equal(result.code, 124, "it did not wait");
    },
  });
}

function mayMakeNamespaces(): boolean {
  const { success } = new Deno.Command("sh", { args: ["-c", "unshare -n -i true"], stderr: "null" })
    .outputSync();
  return success || !missing("the right to make namespaces");
}
