import assert from "node:assert/strict";
import { LaunchFailure } from "../../platform/child.ts";
import { SystemError } from "../../platform/errno.ts";
import { launchError, sandboxError } from "./sandbox_error.ts";

Deno.test("a failed execve is the program's fault, out of processes may pass, and neither is a fault of the sandbox", () => {
  const missing = launchError(new LaunchFailure(8, 2), "/bin/nothing");
  assert.deepEqual([missing.code, missing.retryable, missing.details["errno"]], [
    "COMMAND_SPAWN_FAILED",
    false,
    "ENOENT",
  ]);
  assert.equal(missing.message, "Cannot execute /bin/nothing: ENOENT");
  assert.equal(missing.root["operation_outcome"], "spawn_error");
  const full = launchError(new LaunchFailure(8, 11), "/bin/sh");
  assert.equal(full.retryable, true);
  assert.match(String(full.details["retry_hint"]), /kill_command/);
  assert.match(String(missing.details["retry_hint"]), /vise doctor/);
  assert.match(String(launchError(new LaunchFailure(8, 13), "/opt/sh").details["retry_hint"]), /VISE_EXEC_ALLOW_ROOTS/);
});

Deno.test("every step before it is a fault of the sandbox and names step and error", () => {
  const names = ["no_new_privs", "namespaces", "capabilities", "landlock", "descriptors", "limits", "seccomp"];
  names.forEach((step, index) => {
    const error = launchError(new LaunchFailure(index + 1, 1), "/bin/sh");
    assert.deepEqual([error.code, error.retryable], ["SANDBOX_UNAVAILABLE", false]);
    assert.deepEqual([error.details["step"], error.details["errno"]], [step, "EPERM"]);
  });
});

Deno.test("a ruleset that cannot be made names the path, the call and the error", () => {
  const error = sandboxError(new SystemError("ENOENT", "open", "/gone"));
  assert.equal(error.code, "SANDBOX_UNAVAILABLE");
  assert.equal(error.message, "Cannot prepare the sandbox: open /gone: ENOENT");
  assert.deepEqual([error.details["path"], error.details["errno"]], ["/gone", "ENOENT"]);
});
