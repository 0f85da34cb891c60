/** The numbers by which the trampoline (O-31) says how far it came. They travel on the status pipe. */

/** Names of the steps by number, in the order they are made. */
export const TRAMPOLINE_STEPS = {
  1: "no_new_privs",
  2: "namespaces",
  3: "capabilities",
  4: "landlock",
  5: "descriptors",
  6: "limits",
  7: "seccomp",
  8: "execve",
  9: "probe",
} as const;

/** A step by the number it is reported under. */
export type TrampolineStep = typeof TRAMPOLINE_STEPS[keyof typeof TRAMPOLINE_STEPS];

/** Everything before this step belongs to the sandbox (`SANDBOX_UNAVAILABLE`); this one is the program's own start (`COMMAND_SPAWN_FAILED`). */
export const EXECVE_STEP = 8;

/** Bytes of one report on the status pipe: two little-endian int32, step and errno. */
export const STATUS_REPORT_BYTES = 8;

/** Number of a named step. */
export function stepNumber(step: TrampolineStep): number {
  for (const [number, name] of Object.entries(TRAMPOLINE_STEPS)) {
    if (name === step) return Number(number);
  }
  throw new RangeError(`No trampoline step is called ${step}`);
}

/** `landlock` for 4 and so on; `step N` for a number that no trampoline of ours sends. */
export function stepName(step: number): string {
  return (TRAMPOLINE_STEPS as Readonly<Record<number, string>>)[step] ?? `step ${step}`;
}
