/** Flags about how commands run and how much they may use. */

import { oneOf, wholeNumber } from "../../config/setting.ts";
import type { Flag } from "../flag.ts";

/** No limit of this program needs a larger number; it also keeps sums exact. */
const LARGEST = 2 ** 40;

/** Shell, environment, output and limits of commands. */
export const COMMAND_FLAGS: readonly Flag[] = [
  {
    name: "shell",
    category: "Commands",
    value: "PATH",
    env: "SHELL",
    fallback: "sh from PATH",
    about: "shell that runs commands",
    apply: (raw, value) => void (raw.shell = value),
  },
  {
    name: "shell-env-inherit",
    category: "Commands",
    value: "MODE",
    env: "SHELL_ENV_INHERIT",
    fallback: "core",
    choices: ["core", "all", "none"],
    about: "which of the server's variables commands get: PATH and locale, all but secrets, or none",
    apply: (raw, value) =>
      void (raw.shellEnvInherit = oneOf(value, { name: "--shell-env-inherit", choices: ["core", "all", "none"] })),
  },
  {
    name: "cache-dir",
    category: "Commands",
    value: "DIR",
    env: "CACHE_DIR",
    fallback: "a fresh one for each run",
    about: "keep the XDG cache of commands here between runs",
    apply: (raw, value) => void (raw.cacheDir = value),
  },
  {
    name: "max-active-commands",
    category: "Limits",
    value: "N",
    env: "MAX_ACTIVE_COMMANDS",
    fallback: "16",
    about: "commands that run at the same time (1–256)",
    apply: (raw, value) =>
      void (raw.limits.maxActiveCommands = wholeNumber(value, { name: "--max-active-commands", min: 1, max: 256 })),
  },
  {
    name: "max-retained-commands",
    category: "Limits",
    value: "N",
    env: "MAX_RETAINED_COMMANDS",
    fallback: "32",
    about: "finished commands that stay readable (1–1024)",
    apply: (raw, value) =>
      void (raw.limits.maxRetainedCommands = wholeNumber(value, {
        name: "--max-retained-commands",
        min: 1,
        max: 1024,
      })),
  },
  {
    name: "max-output-bytes-total",
    category: "Limits",
    value: "BYTES",
    env: "MAX_OUTPUT_BYTES_TOTAL",
    fallback: "16777216",
    about: "retained output of all commands (1048576 or more)",
    apply: (raw, value) =>
      void (raw.limits.maxOutputBytesTotal = wholeNumber(value, {
        name: "--max-output-bytes-total",
        min: 1_048_576,
        max: LARGEST,
      })),
  },
  {
    name: "stream-buffer-bytes",
    category: "Limits",
    value: "BYTES",
    env: "STREAM_BUFFER_BYTES",
    fallback: "524288",
    about: "retained output of one stream (65536–8388608); an eighth is kept from its beginning",
    apply: (raw, value) =>
      void (raw.limits.streamBufferBytes = wholeNumber(value, {
        name: "--stream-buffer-bytes",
        min: 65_536,
        max: 8_388_608,
      })),
  },
  {
    name: "command-ttl-s",
    category: "Limits",
    value: "SECONDS",
    env: "COMMAND_TTL_S",
    fallback: "300",
    about: "how long a finished command stays readable after its end was reported (10–86400)",
    apply: (raw, value) =>
      void (raw.limits.commandTtlS = wholeNumber(value, { name: "--command-ttl-s", min: 10, max: 86_400 })),
  },
  {
    name: "max-processes",
    category: "Limits",
    value: "N",
    env: "MAX_PROCESSES",
    fallback: "unlimited",
    about: "processes of one command, its descendants included",
    apply: (raw, value) =>
      void (raw.limits.maxProcesses = wholeNumber(value, { name: "--max-processes", min: 1, max: 4_194_304 })),
  },
  {
    name: "max-memory-mb",
    category: "Limits",
    value: "MIB",
    env: "MAX_MEMORY_MB",
    fallback: "unlimited",
    about: "resident memory of one command, its descendants included",
    apply: (raw, value) =>
      void (raw.limits.maxMemoryMb = wholeNumber(value, { name: "--max-memory-mb", min: 16, max: LARGEST })),
  },
];
