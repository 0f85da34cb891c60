import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { SystemError } from "../platform/errno.ts";
import { systemFault } from "./system_fault.ts";

Deno.test("systemFault() names a failed system call, whichever interface reported it, and leaves bugs alone", () => {
  const nodeFault = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
    path: "/tmp/x",
  });
  const cases: [Error, [string, string, boolean]][] = [
    [new SystemError("EROFS", "openat2", "a"), ["EROFS", "openat2", false]],
    [nodeFault, ["ENOSPC", "write", true]],
    [new Error("No space left on device (os error 28)"), ["ENOSPC", "system call", true]],
    [Object.assign(new Error("Requires env access"), { name: "NotCapable" }), ["EACCES", "permission", false]],
    [new Error("Strange (os error 9999)"), ["errno 9999", "system call", false]],
  ];
  for (const [fault, [errno, step, retryable]] of cases) {
    const error = systemFault(fault);
    deepStrictEqual([error?.code, error?.details["errno"], error?.details["step"], error?.retryable], [
      "IO_ERROR",
      errno,
      step,
      retryable,
    ]);
  }
  const invalid = Object.assign(new TypeError("bad"), { code: "ERR_INVALID_ARG_TYPE" });
  for (const fault of [new TypeError("x is not a function"), invalid, "text", null]) {
    strictEqual(systemFault(fault), null);
  }
});
