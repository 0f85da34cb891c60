/** Flags about what commands may do. */

import { oneOf } from "../../config/setting.ts";
import type { Flag } from "../flag.ts";

/** Permission mode, network, sandbox and where file tools may write. */
export const PERMISSION_FLAGS: readonly Flag[] = [
  {
    name: "permission-mode",
    category: "Permissions",
    value: "MODE",
    env: "PERMISSION_MODE",
    fallback: "safe",
    choices: ["safe", "trusted", "dangerous"],
    about:
      "safe: no network, no expansion, no inline scripts; trusted: ordinary development; dangerous: no gate, no sandbox",
    apply: (raw, value) =>
      void (raw.permissionMode = oneOf(value, {
        name: "--permission-mode",
        choices: ["safe", "trusted", "dangerous"],
      })),
  },
  {
    name: "network",
    category: "Permissions",
    value: "REACH",
    env: "NETWORK",
    fallback: "none in safe, open in trusted",
    choices: ["none", "loopback", "open"],
    about: "what commands reach: nothing, a loopback of their own, or everything",
    apply: (raw, value) =>
      void (raw.network = oneOf(value, { name: "--network", choices: ["none", "loopback", "open"] })),
  },
  {
    name: "allow-network",
    category: "Permissions",
    value: null,
    env: "ALLOW_NETWORK",
    fallback: "off",
    about: "the same as --network open",
    apply: (raw) => void (raw.allowNetwork = true),
  },
  {
    name: "require-sandbox",
    category: "Permissions",
    value: null,
    env: "REQUIRE_SANDBOX",
    fallback: "off",
    about: "refuse commands where the kernel cannot confine them, instead of running them with a warning",
    apply: (raw) => void (raw.requireSandbox = true),
  },
  {
    name: "dangerously-skip-all-permissions",
    category: "Permissions",
    value: null,
    env: "DANGEROUSLY_SKIP_ALL_PERMISSIONS",
    fallback: "off",
    about: "the same as --permission-mode dangerous",
    apply: (raw) => void (raw.skipAllPermissions = true),
  },
  {
    name: "toolchains",
    category: "Permissions",
    value: "auto|none",
    env: "TOOLCHAINS",
    fallback: "auto",
    choices: ["auto", "none"],
    about: "auto: version managers and user toolchains found on PATH are readable and executable for commands",
    apply: (raw, value) => void (raw.toolchains = oneOf(value, { name: "--toolchains", choices: ["auto", "none"] })),
  },
];
