/** Confinement of Linux: a ruleset and a trampoline for each start, and one self-test that is remembered (O-30, O-31). */

import type { NetworkReach } from "../../config/config.ts";
import {
  type ConfinedStart,
  type Confinement,
  type ConfinementFacts,
  type ConfinementRequest,
  nothingExamined,
  unconfinedStart,
} from "../confinement.ts";
import { isShortage, SystemError } from "../errno.ts";
import type { InheritedDescriptor } from "../launch.ts";
import { closeDescriptor, openStatusPipe, type StatusPipe } from "./descriptors.ts";
import { createRuleset, type LandlockSupport, landlockSupport } from "./landlock.ts";
import { scopeBits } from "./landlock_rights.ts";
import { STATUS_DESCRIPTOR } from "./machine.ts";
import { type HeldNamespaces, Namespaces } from "./namespaces.ts";
import { RulesetCache } from "./ruleset_cache.ts";
import { runTrampoline } from "./run_trampoline.ts";
import {
  assembleTrampoline,
  closeTrampoline,
  IMAGE_DESCRIPTOR,
  keepInFile,
  keepInMemory,
  nativeArchitecture,
  type Trampoline,
} from "./trampoline.ts";
import { RULESET_DESCRIPTOR, type TrampolineProgram, trampolineProgram } from "./trampoline_program.ts";
import { type StartKind, trampolineOptions } from "./start_kind.ts";
import { stepName, stepNumber } from "./trampoline_steps.ts";
import { writablePlaces } from "./writable_places.ts";
import { EACCES } from "./errno_numbers.ts";

/** Outcome of the self-test. */
type SelfTest = { readonly passed: true } | { readonly passed: false; readonly fault: SystemError };

/** What namespaces add to a start. */
interface Isolation {
  readonly namespaces: HeldNamespaces | null;
  readonly network: NetworkReach;
  /** Why the reach is smaller than asked for. */
  readonly reason: string | null;
}

/** Landlock, seccomp and namespaces, as far as this kernel has them and permits them. */
export class LinuxConfinement implements Confinement {
  readonly #rulesets = new RulesetCache();
  readonly #trampolines = new Map<string, Trampoline>();
  readonly #namespaces = new Namespaces((program) => this.#keepHolder(program));
  #support: LandlockSupport | undefined;
  #selfTest: SelfTest | undefined;
  /** True where executing a memfd is forbidden (`vm.memfd_noexec`, no /proc). */
  #inFile = false;
  #launchPrefix = "";

  get abi(): number | null {
    return this.support.abi;
  }

  get reason(): string | null {
    return this.support.abi === null ? this.support.reason : null;
  }

  /** What the kernel offers, asked once. */
  get support(): LandlockSupport {
    return this.#support ??= landlockSupport();
  }

  prepare(argv: readonly string[], request: ConfinementRequest): ConfinedStart {
    const { support } = this;
    this.#launchPrefix = request.launchPrefix;
    const test = this.#testOnce();
    if (!test.passed) {
      if (support.abi !== null) throw test.fault;
      // No Landlock, and no trampoline either: a host without system calls for us (no FFI) or without seccomp.
      return unconfinedStart(argv, { ...request, reason: support.reason, abi: null });
    }
    const isolation = this.#isolate(request);
    try {
      return this.#start(argv, request, isolation);
    } catch (fault) {
      isolation.namespaces?.release();
      throw fault;
    }
  }

  examine(request: Pick<ConfinementRequest, "rules" | "launchPrefix">): ConfinementFacts {
    this.#launchPrefix = request.launchPrefix;
    const { support } = this;
    const test = this.#testOnce();
    if (!test.passed && support.abi === null) return nothingExamined(support.reason);
    const refusal = (network: boolean): string | null => {
      if (!test.passed) return test.fault.message;
      const writable = network ? null : writablePlaces(request.rules);
      const held = this.#namespaces.take({ network, writable });
      if (held instanceof SystemError) return `namespaces are not permitted: ${held.message}`;
      held.release();
      return null;
    };
    return {
      mechanism: support.abi === null ? "none" : "landlock",
      abi: support.abi,
      reason: support.abi === null ? support.reason : null,
      fault: test.passed ? null : test.fault.message,
      launcher: test.passed ? (this.#inFile ? "file" : "memory") : null,
      noLoopback: refusal(true),
      noSealing: refusal(false),
    };
  }

  close(): void {
    this.#rulesets.close();
    this.#namespaces.close();
    for (const trampoline of this.#trampolines.values()) closeTrampoline(trampoline);
    this.#trampolines.clear();
  }

  /** Joins as many namespaces as the request calls for and the host permits. */
  #isolate(request: ConfinementRequest): Isolation {
    const network = request.network === "loopback";
    const writable = request.sealAttributes ? writablePlaces(request.rules) : null;
    let reason: string | null = null;
    for (const wanted of [{ network, writable }, { network, writable: null }]) {
      if (!wanted.network && wanted.writable === null) break;
      const held = this.#namespaces.take(wanted);
      if (!(held instanceof SystemError)) return { namespaces: held, network: request.network, reason: null };
      reason = `namespaces are not permitted here (${held.step}: ${held.errno})`;
    }
    return network
      ? { namespaces: null, network: "none", reason }
      : { namespaces: null, network: request.network, reason: null };
  }

  #start(argv: readonly string[], request: ConfinementRequest, isolation: Isolation): ConfinedStart {
    const { support } = this;
    const { namespaces, network } = isolation;
    const join = namespaces?.join ?? [];
    const trampoline = this.#trampoline({
      landlock: support.abi !== null,
      network,
      pipesOnly: request.pipesOnly,
      join,
    });
    const ruleset = support.abi === null ? null : this.#rulesets.take({
      abi: support.abi,
      rules: request.rules,
      refuseTcp: network === "none",
    });
    const pipe = openPipeOr(() => ruleset?.release());
    const inherit: InheritedDescriptor[] = [{ from: pipe.write, to: STATUS_DESCRIPTOR }];
    if (ruleset !== null) inherit.push({ from: ruleset.descriptor, to: RULESET_DESCRIPTOR });
    if (trampoline.descriptor !== null) inherit.push({ from: trampoline.descriptor, to: IMAGE_DESCRIPTOR });
    inherit.push(...namespaces?.inherit ?? []);
    const [program = "", ...rest] = argv;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      closeDescriptor(pipe.write);
      ruleset?.release();
      namespaces?.release();
    };
    return {
      launch: {
        path: trampoline.path,
        argv: ["vise-launch", program, request.argv0 ?? program, ...rest],
        inherit,
        statusRead: pipe.read,
        release,
      },
      enforcement: {
        filesystem: support.abi === null ? "unconfined" : "confined",
        attributes: join.includes("mount") ? "confined" : "unconfined",
        network,
        signals: support.abi !== null && scopeBits(support.abi) !== 0 ? "scoped" : "unscoped",
        abi: support.abi,
        reason: support.abi === null ? support.reason : isolation.reason,
      },
      abandon() {
        release();
        closeDescriptor(pipe.read);
      },
    };
  }

  #trampoline(kind: StartKind): Trampoline {
    const key = JSON.stringify(kind);
    let trampoline = this.#trampolines.get(key);
    if (trampoline === undefined) {
      trampoline = this.#keep(trampolineProgram(trampolineOptions(kind, { kind: "execve" })));
      this.#trampolines.set(key, trampoline);
    }
    return trampoline;
  }

  #keep(program: TrampolineProgram): Trampoline {
    const architecture = nativeArchitecture();
    if (architecture === null) throw new SystemError("ENOSYS", "assemble", "trampoline");
    const image = assembleTrampoline(program, architecture);
    return this.#inFile ? keepInFile(image, this.#launchPrefix) : keepInMemory(image);
  }

  #keepHolder(program: TrampolineProgram): { trampoline: Trampoline; close: () => void } {
    const trampoline = this.#keep(program);
    return { trampoline, close: () => closeTrampoline(trampoline) };
  }

  /** A shortage of processes, memory or descriptors says nothing about the next start, so it is not remembered. */
  #testOnce(): SelfTest {
    if (this.#selfTest !== undefined) return this.#selfTest;
    const test = this.#runSelfTest();
    if (test.passed || !isShortage(test.fault.errno)) this.#selfTest = test;
    return test;
  }

  /** Tries the whole way with rules that allow nothing, first from a memfd, then from a file. */
  #runSelfTest(): SelfTest {
    try {
      this.#probe();
      return { passed: true };
    } catch {
      // The reason of the second attempt counts: it is the way that everything would go.
      this.#inFile = true;
    }
    try {
      this.#probe();
      return { passed: true };
    } catch (fault) {
      this.#inFile = false;
      return { passed: false, fault: fault instanceof SystemError ? fault : unknownFault(fault) };
    }
  }

  /** @throws SystemError if the trampoline does not run, a step fails, or a forbidden path can be opened. */
  #probe(): void {
    const { abi } = this.support;
    const kind: StartKind = { landlock: abi !== null, network: "none", pipesOnly: false, join: [] };
    const trampoline = this.#keep(trampolineProgram(trampolineOptions(kind, { kind: "probe", path: "/" })));
    const ruleset = abi === null ? null : createRuleset({ abi, rules: [], refuseTcp: true });
    try {
      const inherit = ruleset === null ? [] : [{ from: ruleset, to: RULESET_DESCRIPTOR }];
      const report = runTrampoline(trampoline, { inherit });
      if (report === null) throw new SystemError("EIO", "self-test", "trampoline without an answer");
      const expected = abi === null ? 0 : EACCES;
      if (report.step !== stepNumber("probe")) throw new SystemError(report.errno, stepName(report.step), "");
      if (report.errno !== expected) throw new SystemError("EIO", "self-test", "a forbidden path could be opened");
    } finally {
      if (ruleset !== null) closeDescriptor(ruleset);
      closeTrampoline(trampoline);
    }
  }
}

/** The status pipe; where there is none, `undo` runs before the error goes on. */
function openPipeOr(undo: () => void): StatusPipe {
  try {
    return openStatusPipe();
  } catch (fault) {
    undo();
    throw fault;
  }
}

function unknownFault(fault: unknown): SystemError {
  return new SystemError("EIO", "self-test", fault instanceof Error ? fault.message : String(fault));
}
