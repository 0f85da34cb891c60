/** Runs a trampoline that needs no standard streams and waits for its report: self-test and namespace holder. */

import type { InheritedDescriptor } from "../launch.ts";
import { openLibc } from "./libc.ts";
import { STATUS_DESCRIPTOR } from "./machine.ts";
import { spawnProcess } from "./spawn_process.ts";
import { closeDescriptor, openStatusPipe } from "./descriptors.ts";
import { IMAGE_DESCRIPTOR, type Trampoline } from "./trampoline.ts";
import { STATUS_REPORT_BYTES } from "./trampoline_steps.ts";

/** What a trampoline said. */
export interface TrampolineReport {
  /** Number of the step (`trampoline_steps.ts`). */
  readonly step: number;
  /** 0: the step succeeded. */
  readonly errno: number;
}

/** A probe ends within 2 ms; a machine that needs this long is not going to answer. */
const REPORT_TIMEOUT_MS = 5_000;
const POLLIN = 1;
const SIGKILL = 9;
const STANDARD_ERROR = 2;

let libc: ReturnType<typeof openSymbols> | undefined;

/**
 * Starts `trampoline`, reads its report, lets `whileAlive` look at the process, then ends it.
 * Null: it ended or hung without a word.
 *
 * Blocks the thread for 1–2 ms. @throws SystemError if the process cannot be started.
 */
export function runTrampoline(
  trampoline: Trampoline,
  options: {
    readonly inherit: readonly InheritedDescriptor[];
    readonly whileAlive?: (pid: number, report: TrampolineReport | null) => void;
  },
): TrampolineReport | null {
  const pipe = openStatusPipe();
  try {
    const inherit = [...options.inherit, { from: pipe.write, to: STATUS_DESCRIPTOR }];
    if (trampoline.descriptor !== null) inherit.push({ from: trampoline.descriptor, to: IMAGE_DESCRIPTOR });
    let pid: number;
    try {
      pid = spawnProcess({
        launch: { path: trampoline.path, argv: ["vise-launch"], inherit, statusRead: null, release: () => {} },
        env: {},
        cwd: "/",
        stdio: { stdin: null, stdout: STANDARD_ERROR, stderr: STANDARD_ERROR },
      });
    } finally {
      closeDescriptor(pipe.write);
    }
    try {
      const report = readReport(pipe.read);
      options.whileAlive?.(pid, report);
      return report;
    } finally {
      symbols().kill(pid, SIGKILL);
      symbols().waitpid(pid, new Uint8Array(4), 0);
    }
  } finally {
    closeDescriptor(pipe.read);
  }
}

function readReport(descriptor: number): TrampolineReport | null {
  const poll = new Uint8Array(8);
  const pollView = new DataView(poll.buffer);
  pollView.setInt32(0, descriptor, true);
  pollView.setInt16(4, POLLIN, true);
  if (symbols().poll(poll, 1n, REPORT_TIMEOUT_MS) <= 0) return null;
  const report = new Uint8Array(STATUS_REPORT_BYTES);
  if (Number(symbols().read(descriptor, report, BigInt(report.length))) !== report.length) return null;
  const view = new DataView(report.buffer);
  return { step: view.getInt32(0, true), errno: view.getInt32(4, true) };
}

function symbols(): ReturnType<typeof openSymbols> {
  return libc ??= openSymbols();
}

function openSymbols() {
  return openLibc({
    poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
    read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
    kill: { parameters: ["i32", "i32"], result: "i32" },
    waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  });
}
