/** Hints read from a finished or running command's output (contract 1.7, O-39). */

import type { Diagnostic } from "../../base/tool_error.ts";
import type { NetworkReach } from "../../config/config.ts";

/** What is known about a command when its answer is made. */
export interface DiagnoseFacts {
  /** New output in this answer, as the model sees it. */
  readonly stdout: string;
  readonly stderr: string;
  /** Null while it runs and after death by signal. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  /** Whether the kernel confines its file access. */
  readonly filesystemConfined: boolean;
  /** Network that the kernel really allows it. */
  readonly network: NetworkReach;
}

/** One rule over single lines; the first line that matches is the evidence. */
interface LineRule {
  readonly code: string;
  readonly matches: (line: string, facts: DiagnoseFacts) => boolean;
  readonly fix: string | ((line: string, facts: DiagnoseFacts) => string);
  readonly flag?: string | ((facts: DiagnoseFacts) => string | undefined);
}

const DENIED = /permission denied|eacces|operation not permitted/i;
const NOT_WRITABLE = /permission denied|n[o']t writable|cannot write|eacces|read-only file system/i;
/** What commands call HOME, and the home directories of users, which are theirs only where something is to be written. */
const OWN_HOME = /\$HOME|\bHOME\b|\bhome directory|~\//;
const USER_HOME = /(?:^|[\s'"`:(=])(?:\/home\/[^\s/]+|\/root)\/(?!\.(?:pyenv|nvm|cargo|rustup|asdf|volta|sdkman)\b)/;
const WRITING = /creat|writ|mkdir|touch|remov|unlink|renam|open.*for writing|read-only/i;
/** The shell that speaks before its message, with the line it is at: `/bin/sh: 1: …`. */
const SPEAKER = /^\/\S+: (?:(?:line )?\d+: )?/;
/** An absolute path below a directory of the system, as error messages quote it. */
const SYSTEM_PATH =
  /(?:^|[\s'"`:(=])(\/(?:etc|usr|var|opt|home|root|proc|sys|run|srv|mnt|media|boot|bin|sbin|lib|lib64|tmp)(?:\/[^\s'"`:)]*)?)/;

const RULES: readonly LineRule[] = [
  {
    code: "DEV_NULL_DENIED",
    matches: (line) => line.includes("/dev/null") && /permission denied/i.test(line),
    fix: "The null device is not usable here; drop the redirection.",
  },
  {
    code: "DNS_RESOLUTION_FAILED",
    matches: (line) =>
      /could not resolve host|temporary failure in name resolution|name or service not known|eai_again|\benotfound\b/i
        .test(line),
    fix: (_, { network }) =>
      network === "open"
        ? "Names cannot be resolved: the name is wrong, or the resolver of this machine is not reachable."
        : "Names cannot be resolved: the network is closed.",
    flag: ({ network }) => network === "open" ? undefined : "--network open",
  },
  {
    code: "NETWORK_BLOCKED",
    matches: (line, { network }) =>
      network !== "open" &&
      (/network is unreachable|failed to create socket|can't create socket|socket: operation not permitted/i
        .test(line) ||
        (DENIED.test(line) && /\b(connect|socket|bind|listen|dial tcp|getaddrinfo)\b/i.test(line))),
    fix: "The sandbox gives this command no such network; work without it or ask for the permission network.",
    flag: "--network open",
  },
  {
    code: "JDK_SECURITY_CONFIG_BLOCKED",
    matches: (line) => line.includes("java.security") && /denied|could not|error loading/i.test(line),
    fix: "The JDK cannot read its security configuration; let the operator name its directory as readable.",
    flag: "VISE_EXEC_ALLOW_ROOTS",
  },
  {
    code: "TMPDIR_NOT_WRITABLE",
    matches: (line) => /tmpdir/i.test(line) && /permission denied|not writable|cannot write/i.test(line),
    fix: "Use the TMPDIR that the command was started with; it is writable.",
  },
  {
    code: "HOME_NOT_WRITABLE",
    matches: (line) => NOT_WRITABLE.test(line) && (OWN_HOME.test(line) || (USER_HOME.test(line) && WRITING.test(line))),
    fix: "Use the HOME that the command was started with; it is writable and private to this server.",
  },
  {
    code: "LANDLOCK_READ_ROOT_BLOCKED",
    matches: (line) => DENIED.test(line) && SYSTEM_PATH.test(line.replace(SPEAKER, "")),
    fix: (line) => {
      const path = SYSTEM_PATH.exec(line.replace(SPEAKER, ""))?.[1] ?? "this path";
      return `The sandbox does not open ${path}; keep to the workspace, or let the operator name its directory as readable.`;
    },
    flag: "VISE_EXEC_ALLOW_ROOTS",
  },
  {
    code: "EXECUTABLE_NOT_FOUND",
    matches: (line, { exitCode }) =>
      /command not found|not found in \$?path/i.test(line) || (/not found/i.test(line) && /exec/i.test(line)) ||
      (exitCode === 127 && /not found|no such file/i.test(line)),
    fix: "Check the spelling, or start the program by its path; only programs on PATH are found.",
  },
];

/** Characters of evidence (contract 1.7). */
const MAX_EVIDENCE = 240;
/** Text looked at per stream, from its end, where errors stand. */
const MAX_SCANNED = 65_536;

/** Diagnostics in the order of the table, each code once. Pure. */
export function diagnose(facts: DiagnoseFacts): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (facts.timedOut) {
    found.push({
      code: "COMMAND_TIMED_OUT",
      severity: "error",
      suggested_fix: "Raise timeout_ms (at most 600000), or run a smaller part of the work.",
    });
  }
  if (facts.truncated) {
    found.push({
      code: "OUTPUT_TRUNCATED",
      severity: "warning",
      suggested_fix: "Read the rest with read_output, or redirect the output to a file and page it with read_file.",
    });
  }
  const lines = interestingLines(facts);
  // A line is explained once, by the narrowest rule, which comes first.
  const explained = new Set<string>();
  for (const rule of RULES) {
    const line = lines.find((candidate) => !explained.has(candidate) && rule.matches(candidate, facts));
    if (line === undefined) continue;
    explained.add(line);
    found.push(diagnostic(rule, line, facts));
  }
  const missing = found.some(({ code }) => code === "EXECUTABLE_NOT_FOUND");
  if (facts.exitCode === 127 && !missing) {
    found.push({
      code: "EXECUTABLE_NOT_FOUND",
      severity: "error",
      evidence: "exit code 127",
      suggested_fix: "Check the spelling, or start the program by its path; only programs on PATH are found.",
    });
  }
  return found;
}

/** A command that succeeded may print anything to stdout (a log, a search): there only stderr counts. */
function interestingLines({ stdout, stderr, exitCode }: DiagnoseFacts): string[] {
  const texts = exitCode === 0 ? [stderr] : [stderr, stdout];
  return texts.flatMap((text) => text.slice(-MAX_SCANNED).split("\n")).filter((line) => SIGNS.test(line));
}

/** Cheap first sieve: every rule needs one of these. */
const SIGNS =
  /denied|eacces|permitted|n[o']t writable|cannot write|read-only|resolve host|resolution|not known|eai_again|\benotfound\b|unreachable|socket|could not|error loading|not found|no such file/i;

function diagnostic({ code, fix, flag }: LineRule, line: string, facts: DiagnoseFacts): Diagnostic {
  const named = typeof flag === "function" ? flag(facts) : flag;
  return {
    code,
    severity: "error",
    evidence: shortened(line),
    suggested_fix: typeof fix === "string" ? fix : fix(line, facts),
    ...(named === undefined ? {} : { suggested_server_flag: named }),
  };
}

function shortened(line: string): string {
  const collapsed = line.replace(/\s+/g, " ").trim();
  return collapsed.length <= MAX_EVIDENCE ? collapsed : collapsed.slice(0, MAX_EVIDENCE - 3) + "...";
}
