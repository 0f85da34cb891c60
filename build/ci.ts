/**
 * `deno task ci`: every check of the project, in the order of their cost.
 *
 * Format, lint, types, generated files, tests (layout rules among them), then the executable: built and driven by the
 * same tests. Ends with one line `N passed, N failed, N skipped`.
 */

import { bundle, compile } from "./compile.ts";
import { type Counts, countTests } from "./count_tests.ts";
import { missingRuntime } from "./missing_runtime.ts";

/** Tests that drive a whole server: they run a second time against the executable. */
const WHOLE_SERVER = [
  "tests/protocol",
  "tests/cli",
  "tests/slice",
  "tests/sandbox",
  "tests/interop",
  "tests/contract",
  "tests/conformance",
  "tests/image",
];

/** A step that takes longer hangs: all tests together need a few minutes on two cores. */
const STEP_LIMIT_MS = 20 * 60_000;

const STEPS: readonly [string, string[]][] = [
  ["format", ["fmt", "--check", "--quiet"]],
  ["lint", ["lint", "--quiet"]],
  ["types", ["check", "--quiet", "main.ts", "src", "tests", "build", "bench", "demo"]],
  ["generated files", ["run", "--quiet", "-A", "build/docs.ts", "--check"]],
];

const total: Counts = { passed: 0, failed: 0, skipped: [] };
for (const [name, args] of STEPS) {
  console.log(`== ${name}`);
  if (await deno(args)) total.passed++;
  else {
    total.failed++;
    console.log(`FAILED: ${name}`);
  }
}
add(await test("tests", ["src", "tests"]));
await testExecutable();
for (const reason of total.skipped) console.log(`skipped: ${reason}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
Deno.exit(total.failed === 0 ? 0 : 1);

async function testExecutable(): Promise<void> {
  console.log("== executable");
  let executable: string;
  if (!await bundle().then(() => true, (fault) => void console.log(String(fault)))) {
    total.failed++;
    console.log("FAILED: executable: the program cannot be bundled");
    return;
  }
  try {
    executable = await compile({});
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    const missing = missingRuntime(reason);
    // Without a runtime and without a network to fetch one nothing can be packed.
    if (missing !== null) total.skipped.push(`executable: ${missing}`);
    else {
      total.failed++;
      console.log(`FAILED: executable: ${reason}`);
    }
    return;
  }
  const { size } = await Deno.stat(executable);
  console.log(`${executable}: ${(size / 1e6).toFixed(1)} MB`);
  const directories = [];
  for (const path of WHOLE_SERVER) if (await exists(path)) directories.push(path);
  add(
    await test("tests against the executable", directories, { VISE_TEST_EXECUTABLE: await Deno.realPath(executable) }),
  );
}

async function test(name: string, paths: string[], env: Record<string, string> = {}): Promise<Counts> {
  console.log(`== ${name}`);
  await Deno.mkdir("dist", { recursive: true });
  const report = `dist/junit-${name.replaceAll(" ", "-")}.xml`;
  await Deno.remove(report).catch(() => {});
  const ok = await deno(["test", "--quiet", "-A", "--parallel", `--junit-path=${report}`, ...paths], env);
  const counts = await countTests(report);
  // A run that broke before any test counts as one failure, so that it can never look like success.
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function deno(args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), { args, env, stdin: "null" }).spawn();
  const guard = setTimeout(() => {
    console.log(`the step did not end within ${STEP_LIMIT_MS / 60_000} minutes and was stopped`);
    child.kill("SIGKILL");
  }, STEP_LIMIT_MS);
  const { code } = await child.status;
  clearTimeout(guard);
  return code === 0;
}

function add({ passed, failed, skipped }: Counts): void {
  total.passed += passed;
  total.failed += failed;
  total.skipped.push(...skipped);
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
