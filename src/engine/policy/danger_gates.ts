/** Commands that destroy more than a mistake can cost, and commands that look for a network (contract 5.4). */

import type { NetworkReach } from "../../config/config.ts";
import { clusterHolds, scanLeadingOptions, scanOptions } from "./option_scan.ts";
import type { SeenCommand, ShellReading, ShellWord } from "./shell_reading.ts";
import { GIT_GLOBAL_OPTIONS } from "./wrappers.ts";

/** Commands that act as another user, on block devices, or on the running system. */
const ALWAYS_DESTRUCTIVE: ReadonlySet<string> = new Set([
  "sudo",
  "su",
  "doas",
  "pkexec",
  "runuser",
  "mount",
  "umount",
  "mkswap",
  "wipefs",
  "blkdiscard",
  "fdisk",
  "sfdisk",
  "parted",
  "shutdown",
  "reboot",
  "halt",
  "poweroff",
]);

/** Whether the line recursively forces a removal, changes whole trees, discards work, or acts as another user. */
export function isDestructive(reading: ShellReading): boolean {
  return reading.selfReplicating.length > 0 || reading.commands.some(destroys);
}

/** Whether the line removes an absolute path by force. */
export function removesAbsolutePath(reading: ShellReading): boolean {
  return reading.commands.some((command) => {
    const { options, operands } = scanOptions(command.args, {});
    return isRemoval(command) && options.some(({ name }) => clusterHolds(name, "rfRF")) &&
      operands.some(({ value }) => value.startsWith("/"));
  });
}

function destroys(command: SeenCommand): boolean {
  const { name, args } = command;
  if (ALWAYS_DESTRUCTIVE.has(name) || /^mkfs(\.|$)/.test(name)) return true;
  if (isRemoval(command)) return forcesRecursively(args);
  switch (name) {
    case "chmod":
    case "chown":
    case "chgrp":
      return scanOptions(args, {}).options.some((option) => {
        return option.name === "--recursive" || clusterHolds(option.name, "R");
      });
    case "find":
      return args.some(({ value }) => value.toLowerCase() === "-delete");
    case "git":
      return discardsWork(args);
    case "dd":
      return args.some(({ value }) => /^of=\/dev\/(?!null$|zero$|full$|stdout$|stderr$|tty$)/.test(value));
    default:
      return false;
  }
}

/** `rm`, or a command word that only the shell knows: `$X -rf d` is judged as if it were `rm`. */
function isRemoval({ name }: SeenCommand): boolean {
  return name === "rm" || name === "";
}

function forcesRecursively(args: readonly ShellWord[]): boolean {
  const { options } = scanOptions(args, {});
  const recursive = options.some(({ name }) => isLong(name, "--recursive") || clusterHolds(name, "rR"));
  const forced = options.some(({ name }) => isLong(name, "--force") || clusterHolds(name, "fF"));
  return recursive && forced;
}

/** GNU programs accept every unambiguous beginning of a long option. */
function isLong(option: string, full: string): boolean {
  return option.length > 3 && full.startsWith(option);
}

function discardsWork(args: readonly ShellWord[]): boolean {
  const [subcommand, ...others] = scanLeadingOptions(args, GIT_GLOBAL_OPTIONS).operands;
  const { options } = scanOptions(others, { short: subcommand?.value === "clean" ? "e" : "" });
  if (subcommand?.value === "reset") return options.some(({ name }) => isLong(name, "--hard"));
  if (subcommand?.value !== "clean") return false;
  return options.some(({ name }) => isLong(name, "--force") || clusterHolds(name, "fxX"));
}

/** Programs that do nothing without a network. */
const NETWORK_COMMANDS: ReadonlySet<string> = new Set([
  "curl",
  "wget",
  "nc",
  "netcat",
  "ncat",
  "ssh",
  "scp",
  "sftp",
  "ftp",
  "lftp",
  "telnet",
  "socat",
  "aria2c",
  "wget2",
  "xh",
]);

/** Programs that only show or search text: an address in their arguments is text. */
const TEXT_COMMANDS: ReadonlySet<string> = new Set([
  "echo",
  "printf",
  "grep",
  "egrep",
  "fgrep",
  "rg",
  "cat",
  "head",
  "tail",
  "wc",
  "sed",
  "awk",
  "true",
  ":",
]);

/** Subcommands of git that talk to another repository; elsewhere an address is text (`git commit -m`). */
const GIT_REMOTE: ReadonlySet<string> = new Set([
  "clone",
  "fetch",
  "pull",
  "push",
  "ls-remote",
  "submodule",
  "archive",
]);

/** Signs of network use in the code of an interpreter. */
const NETWORK_CODE =
  /https?:\/\/|\b(curl|wget|netcat|HTTPS?Connection)\b|urllib\.request|urllib3|\brequests\.|http\.client|\bsocket\.|aiohttp|httpx/i;

/** Names and addresses of the machine itself. */
const LOOPBACK_ADDRESS =
  /^(https?:\/\/)?(\w+(:[^@/\s]*)?@)?(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)(:\d+)?([/?#]|$)/i;

/** Whether the line looks for a network that `reach` does not give. */
export function wantsNetwork(reading: ShellReading, reach: NetworkReach): boolean {
  if (reach === "open") return false;
  return reading.commands.some((command) => commandWantsNetwork(command, reach)) ||
    reading.inline.some(({ code }) => reach === "none" && NETWORK_CODE.test(code));
}

function commandWantsNetwork({ name, args }: SeenCommand, reach: NetworkReach): boolean {
  const named = args.filter(({ value }) =>
    /https?:\/\//i.test(value) || (NETWORK_COMMANDS.has(name) && isAddress(value))
  );
  if (reach === "loopback" && named.every(({ value }) => LOOPBACK_ADDRESS.test(value))) {
    const namesSomething = args.some(({ value }) => !value.startsWith("-"));
    return NETWORK_COMMANDS.has(name) && named.length === 0 && namesSomething && name !== "nc" && name !== "socat";
  }
  if (NETWORK_COMMANDS.has(name)) return true;
  if (TEXT_COMMANDS.has(name) || named.length === 0) return false;
  if (name !== "git") return true;
  const [subcommand] = scanLeadingOptions(args, GIT_GLOBAL_OPTIONS).operands;
  return subcommand !== undefined && GIT_REMOTE.has(subcommand.value);
}

/** Words of a network program that look like a host. */
function isAddress(value: string): boolean {
  return !value.startsWith("-") && (LOOPBACK_ADDRESS.test(value) || /^[\w.-]+\.[a-z]{2,}(:\d+)?(\/|$)/i.test(value));
}

/** Programs that usually reach out without saying so in their arguments: a granted network is meant for them too. */
const OFTEN_ONLINE =
  /^(npm|npx|pnpm|yarn|bun|deno|pip|pip3|pipx|uv|poetry|cargo|go|gem|bundle|composer|mvn|gradle|gradlew|mvnw|dotnet|apt|apt-get|brew|git|gh|docker|podman|kubectl|helm|terraform|aws|gcloud|az|rsync|psql|mysql|redis-cli|mongosh|ping|dig|host|nslookup)$/;

/** Whether the line might use a network: decides which command uses up a network grant that names none. */
export function mayUseNetwork(reading: ShellReading): boolean {
  return wantsNetwork(reading, "none") || reading.commands.some(({ name }) => OFTEN_ONLINE.test(name));
}
