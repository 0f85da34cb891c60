/** What was really enforced on one child process, which may be less than was planned. */

import type { NetworkReach } from "../../config/config.ts";
import type { SandboxPlan } from "./plan.ts";

/** Goes into every command result as `sandbox` (O-30). */
export interface SandboxReport {
  /** `confined`: the kernel refuses every path outside the plan. */
  readonly filesystem: "confined" | "unconfined";
  /** `confined`: modes, owners, times and extended attributes outside are kept too, which Landlock alone cannot refuse. */
  readonly attributes: "confined" | "unconfined";
  /** How far the kernel lets it reach. */
  readonly network: NetworkReach;
  /** `scoped`: it can signal only its own processes, and reach only its own abstract sockets. */
  readonly signals: "scoped" | "unscoped";
  /** Present where the command may connect to Unix sockets by path outside the workspace (Docker, D-Bus, agents). */
  readonly unix_sockets?: "reachable";
  /** Landlock version of the kernel; null without Landlock. */
  readonly abi: number | null;
  /** Why something is less than was planned. */
  readonly reason?: string;
}

/** What is not enforced although `plan` asks for it, one sentence each; empty when all is. */
export function missingProtections(plan: SandboxPlan, report: SandboxReport): string[] {
  if (!plan.confined) return [];
  const because = report.reason === undefined ? "" : `: ${report.reason}`;
  const missing: string[] = [];
  if (report.filesystem === "unconfined") missing.push(`Files outside the workspace are not protected${because}`);
  if (rank(report.network) > rank(plan.network)) {
    missing.push(`Network is ${report.network} instead of ${plan.network}${because}`);
  } else if (rank(report.network) < rank(plan.network)) {
    missing.push(`Network is ${report.network}, because ${plan.network} is not possible here${because}`);
  }
  if (report.signals === "unscoped" && report.filesystem === "confined") {
    missing.push("Signals to other processes of this user are not refused: Landlock before version 6 cannot");
  }
  return missing;
}

/** Whether everything that protects is there; a reach smaller than asked for is not a missing protection. */
export function isFullyEnforced(plan: SandboxPlan, report: SandboxReport): boolean {
  return plan.confined && report.filesystem === "confined" && rank(report.network) <= rank(plan.network);
}

function rank(network: NetworkReach): number {
  return ["none", "loopback", "open"].indexOf(network);
}
