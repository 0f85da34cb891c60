/**
 * A Seatbelt profile (sandbox-exec(1), SBPL) from the same rules as on Linux.
 *
 * Never run: no macOS machine was there. The text is tested, its effect is not.
 *
 * Form: (version 1) (deny default) then allowances. The last rule that matches wins.
 */

import type { NetworkReach } from "../../config/config.ts";
import type { PathRule } from "../path_rule.ts";

/** Paths that programs of macOS need besides those of Linux. */
const SYSTEM_READS = [
  "/System",
  "/Library/Developer",
  "/Library/Frameworks",
  "/Applications/Xcode.app",
  "/opt/homebrew",
  "/private/etc/ssl",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
] as const;

/** The profile's text. */
export function seatbeltProfile(plan: { readonly rules: readonly PathRule[]; readonly network: NetworkReach }): string {
  const lines = [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec)",
    "(allow process-info* (target same-sandbox))",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-shm)",
    "(allow ipc-posix-sem)",
    "(allow pseudo-tty)",
    // Names and sizes everywhere, as on Linux, where stat(2) is not restricted.
    "(allow file-read-metadata)",
    '(allow file-read* (literal "/"))',
    ...SYSTEM_READS.map((path) => `(allow file-read* (subpath ${quote(path)}))`),
    ...plan.rules.flatMap(linesOf),
    ...networkLines(plan.network),
  ];
  return lines.join("\n") + "\n";
}

function linesOf(rule: PathRule): string[] {
  const path = quote(rule.path);
  if (rule.access === "write") return [`(allow file* (subpath ${path}))`];
  if (rule.access === "device") {
    return [`(allow file-read* file-write* file-ioctl (literal ${path}) (subpath ${path}))`];
  }
  return [`(allow file-read* (subpath ${path}))`];
}

function networkLines(network: NetworkReach): string[] {
  if (network === "open") return ["(allow network*)", "(allow system-socket)", "(allow mach-lookup)"];
  if (network === "none") return [];
  return [
    '(allow network-bind (local ip "localhost:*"))',
    '(allow network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:*"))',
  ];
}

/** A string of the profile language. */
function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
