/** Makes the seccomp filter of a command from its rules (seccomp(2), O-30, O-33). */

import { BpfAssembler } from "./bpf.ts";
import type { Condition, Rule } from "./seccomp_rules.ts";
import { type Architecture, syscallNumber } from "./syscalls.ts";

const ALLOW = 0x7fff_0000;
const REFUSE_WITH_ERRNO = 0x0005_0000;
/** errno(3); the same on both architectures. */
const ERRNO = { EPERM: 1, EACCES: 13, ENOSYS: 38 } as const;

/** `AUDIT_ARCH_…` of linux/audit.h: machine number of ELF, 64 bits, little-endian. */
export const AUDIT_ARCHITECTURE: Readonly<Record<Architecture, number>> = {
  x86_64: 0xc000_003e,
  aarch64: 0xc000_00b7,
};

/** Bit of an x32 number: the same kernel entry with other numbers, which the rules below do not name. */
const X32_BIT = 0x4000_0000;

const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;

/**
 * The filter program. Calls of another architecture (32-bit programs) and x32 answer ENOSYS; what no rule names is allowed.
 *
 * @throws RangeError if a rule has too many conditions for a jump (a bug).
 */
export function makeFilter(rules: readonly Rule[], architecture: Architecture): Uint8Array<ArrayBuffer> {
  const filter = new BpfAssembler();
  filter.load(ARCHITECTURE_OFFSET);
  filter.jumpIfEqual(AUDIT_ARCHITECTURE[architecture], { yes: "native" });
  filter.answer(verdict("ENOSYS"));
  filter.mark("native");
  filter.load(NUMBER_OFFSET);
  if (architecture === "x86_64") {
    // Security: x32 numbers would pass every comparison below.
    filter.jumpIfAtLeast(X32_BIT, { no: "not-x32" });
    filter.answer(verdict("ENOSYS"));
    filter.mark("not-x32");
  }
  rules.forEach((rule, ruleIndex) => {
    for (const call of rule.calls) {
      const number = syscallNumber(call, architecture);
      if (number !== null) pushRule(filter, { rule, number, label: `${ruleIndex}-${call}` });
    }
  });
  filter.answer(ALLOW);
  return filter.assemble();
}

function pushRule(filter: BpfAssembler, entry: { rule: Rule; number: number; label: string }): void {
  const { rule, number, label } = entry;
  const conditions = rule.when ?? [];
  filter.jumpIfEqual(number, { no: `${label}-end` });
  for (const condition of conditions) pushCondition(filter, condition, `${label}-reload`);
  filter.answer(verdict(rule.answer));
  if (conditions.length > 0) {
    filter.mark(`${label}-reload`);
    filter.load(NUMBER_OFFSET);
  }
  filter.mark(`${label}-end`);
}

/** Goes on if the condition holds, else to `otherwise`. */
function pushCondition(filter: BpfAssembler, condition: Condition, otherwise: string): void {
  // Little-endian: the low half of a 64-bit argument comes first. The kernel uses only that half of each tested argument.
  filter.load(16 + 8 * condition.argument);
  if (condition.mask !== undefined) filter.and(condition.mask);
  if (typeof condition.is === "number") filter.jumpIfEqual(condition.is, { no: otherwise });
  else filter.jumpIfEqual(condition.is.not, { yes: otherwise });
}

function verdict(answer: Rule["answer"]): number {
  return answer === "allow" ? ALLOW : (REFUSE_WITH_ERRNO | ERRNO[answer]) >>> 0;
}
