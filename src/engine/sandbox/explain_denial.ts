/** Reads from a command's output that the sandbox refused something, and says what and which flag grants it (O-39). */

import type { Diagnostic } from "../../base/tool_error.ts";
import type { SandboxReport } from "./report.ts";

/** The end of a command and what it was held to. */
export interface DenialFacts {
  readonly stdout: string;
  readonly stderr: string;
  /** Null while it runs and after death by signal. */
  readonly exitCode: number | null;
  readonly report: SandboxReport;
  /** Canonical workspace root. */
  readonly workspace: string;
  /** Places outside the workspace that commands may write. */
  readonly writableRoots: readonly string[];
  /** True where commands may only read the workspace (contract 6.4). */
  readonly workspaceReadOnly: boolean;
}

/** Most diagnostics of one answer: more of the same says nothing new. */
const MAX_DIAGNOSTICS = 3;
/** Characters of evidence (contract 1.7). */
const MAX_EVIDENCE = 240;
/** Characters of output looked at: a refusal that matters is near the end. */
const MAX_SCANNED = 64 * 1024;

/** Words of programs for EACCES, EPERM and EROFS. */
const REFUSED =
  /permission denied|operation not permitted|eacces|eperm|read-only file system|access denied|n[o']t writable/i;
/** Absolute paths, bare or in quotes. */
const ABSOLUTE_PATHS = /(?<=^|[\s'"`‘“(:=])\/[^\s'"`’”():,;]*[^\s'"`’”():,;.]/g;
/** A program that gives its own path before its message, as shells do: `/bin/sh: 1: …`. */
const SPEAKER = /^\/\S+: (?:(?:line )?\d+: )?/;
/** What a shell says of a program that it found through PATH and may not start; its exit code is then 126. */
const NOT_EXECUTABLE = /^(?:\S+: )?(?:(?:line )?\d+: )?([\w.+-]+): permission denied$/i;
/** What was about to be done, from the words around the path. */
const WRITING =
  /read-only file system|creat|writ|mkdir|touch|remov|unlink|renam|mov|truncat|cp:|mv:|rm:|install:|tee:|ln:|append/i;
const ADDRESS =
  /\b(\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]|[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost)[: ](?:port )?(\d{1,5})\b/i;
const NETWORK_REFUSED =
  /connect\b.*(?:permission denied|not permitted|eacces|eperm|couldn't connect|failed)|(?:could not|couldn't|unable to|failed to) (?:connect|resolve)|temporary failure in name resolution|name or service not known|getaddrinfo|network is unreachable|\be(?:net|host)unreach\b|socket.*(?:permission denied|not permitted)|bind.*permission denied|listen (?:eacces|eperm)|eai_again|dial (?:tcp|udp|unix)|no address associated/i;
/** A call on a socket in a line of source code. */
const SOCKET_CALL = /\bsocket\.|\.(?:bind|connect|connect_ex|listen|sendto)\(/;
const LISTENING = /\bbind|listen|address already|cannot assign/i;
const PROCESS_REFUSED =
  /(?:kill|unshare|mount|umount|ptrace|setns|chroot|pivot_root|bpf|perf_event_open|keyctl|sudo)\b/i;

/** Diagnostics in the order of the output; empty when nothing points at the sandbox. */
export function explainDenial(facts: DenialFacts): Diagnostic[] {
  if (facts.report.filesystem === "unconfined" && facts.report.network === "open") return [];
  if (facts.exitCode === 0) return [];
  const found = new Map<string, Diagnostic>();
  const text = `${facts.stdout.slice(-MAX_SCANNED)}\n${facts.stderr.slice(-MAX_SCANNED)}`;
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (found.size >= MAX_DIAGNOSTICS) break;
    const diagnostic = explainLine(line, facts) ?? explainTraceback(lines.slice(Math.max(0, at - 3), at + 1), facts);
    if (diagnostic !== null) found.set(diagnostic.suggested_fix ?? diagnostic.code, diagnostic);
  }
  return [...found.values()];
}

function explainLine(line: string, facts: DenialFacts): Diagnostic | null {
  if (facts.report.network !== "open" && NETWORK_REFUSED.test(line)) return networkDenial(line, facts.report);
  if (facts.report.filesystem !== "confined" || !REFUSED.test(line)) return null;
  const paths = line.replace(SPEAKER, "").match(ABSOLUTE_PATHS) ?? [];
  if (paths.length > 0) {
    // Of two paths (`mv a b`) the one that the plan does not hold was refused.
    return paths.map((path) => pathDenial(line, path, facts)).find((found) => found !== null) ?? null;
  }
  const program = facts.exitCode === 126 ? NOT_EXECUTABLE.exec(line.trim())?.[1] : undefined;
  if (program !== undefined) return programDenial(line, program);
  if (facts.workspaceReadOnly && WRITING.test(line)) return readOnlyDenial(line);
  if (PROCESS_REFUSED.test(line)) {
    return {
      code: "SANDBOX_OPERATION_DENIED",
      severity: "error",
      evidence: evidenceOf(line),
      suggested_fix:
        "The sandbox refuses namespaces, mounts, kernel interfaces and signals to processes outside the command; nothing but dangerous mode grants them.",
      suggested_server_flag: "--permission-mode dangerous",
    };
  }
  return null;
}

/** Python says what was refused only by the source line above its error. */
function explainTraceback(lines: readonly string[], facts: DenialFacts): Diagnostic | null {
  const last = lines.at(-1) ?? "";
  if (facts.report.network === "open" || !/^PermissionError: \[Errno 13?\] [^:]*$/.test(last)) return null;
  const source = lines.slice(0, -1).findLast((line) => SOCKET_CALL.test(line));
  return source === undefined ? null : networkDenial(`${last} (${source.trim()})`, facts.report);
}

function pathDenial(line: string, path: string, facts: DenialFacts): Diagnostic | null {
  if (isUnder(path, facts.workspace)) return facts.workspaceReadOnly ? readOnlyDenial(line) : null;
  if (facts.writableRoots.some((root) => isUnder(path, root))) return null;
  const writing = WRITING.test(line);
  const root = writing ? null : grantableRoot(path);
  const right = writing ? "write" : "read or execute";
  let advice = "work without it, or bring what is needed into the workspace";
  if (writing) advice = "write below the workspace or $TMPDIR instead";
  else if (root !== null) {
    advice = "if the command needs it, the server must be started with its directory among the execution roots";
  }
  return {
    code: writing ? "SANDBOX_WRITE_DENIED" : "LANDLOCK_READ_ROOT_BLOCKED",
    severity: "error",
    evidence: evidenceOf(line),
    suggested_fix: `The sandbox gives no right to ${right} ${path}: ${advice}.`,
    ...(root === null ? {} : { suggested_server_flag: `VISE_EXEC_ALLOW_ROOTS=${root}` }),
  };
}

function programDenial(line: string, program: string): Diagnostic {
  return {
    code: "LANDLOCK_READ_ROOT_BLOCKED",
    severity: "error",
    evidence: evidenceOf(line),
    suggested_fix:
      `The sandbox gives no right to execute ${program} where PATH finds it: use another copy, or the server must be started with its directory among the execution roots.`,
    suggested_server_flag: "VISE_EXEC_ALLOW_ROOTS",
  };
}

function readOnlyDenial(line: string): Diagnostic {
  return {
    code: "WORKSPACE_READ_ONLY",
    severity: "error",
    evidence: evidenceOf(line),
    suggested_fix:
      "Commands may not change the workspace (structured-only): use apply_patch or apply_changes, or a write path.",
    suggested_server_flag: "--write-path DIR",
  };
}

function networkDenial(line: string, report: SandboxReport): Diagnostic {
  const address = ADDRESS.exec(line);
  const where = address === null ? "the network" : `${address[1]} port ${address[2]}`;
  const local = address !== null && /^(?:127\.|localhost|\[::1\])/i.test(address[1] as string);
  const right = LISTENING.test(line) ? "listen on" : "connect to";
  const flag = (local || right === "listen on") && report.network === "none" ? "--network loopback" : "--network open";
  return {
    code: "NETWORK_PERMISSION_REQUIRED",
    severity: "error",
    evidence: evidenceOf(line),
    suggested_fix: `The sandbox (network ${report.network}) gives no right to ${right} ${where}.`,
    suggested_server_flag: flag,
  };
}

/**
 * The directory to name in a suggestion: the path itself, or its directory when it looks like a file.
 *
 * Security: null for places that hold secrets or everybody's files: system configuration, anything with a hidden
 * component, home directories and other roots as a whole. Nobody should be led to open those.
 */
function grantableRoot(path: string): string | null {
  const slash = path.lastIndexOf("/");
  const root = slash > 0 && path.slice(slash).includes(".") ? path.slice(0, slash) : path;
  if (/^\/(?:etc|proc|sys|dev|boot|run|tmp|var)(?:\/|$)/.test(root) || path.includes("/.")) return null;
  return /^\/[^/]+$|^\/home\/[^/]+$/.test(root) ? null : root;
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(root + "/");
}

function evidenceOf(line: string): string {
  const flat = line.replace(/\s+/g, " ").trim();
  return flat.length <= MAX_EVIDENCE ? flat : flat.slice(0, MAX_EVIDENCE - 3) + "...";
}
