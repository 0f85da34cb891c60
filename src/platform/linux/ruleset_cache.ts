/** Landlock rulesets kept between commands with the same plan: making one costs about 1 ms, using one again nothing. */

import type { PathRule } from "../path_rule.ts";
import { createRuleset, type RulesetRequest } from "./landlock.ts";
import { closeDescriptor, moveHigh } from "./descriptors.ts";
import { identityOf } from "../system_file.ts";

/**
 * A rule is bound to the inode that was there when it was made. Files such as /etc/resolv.conf are replaced by
 * renaming, toolchains are installed: after this time the rules are bound again.
 */
const REBIND_AFTER_MS = 5_000;
/** Plans of one run: commands, helpers, and those with grants. */
const MAX_KEPT = 8;

/** A ruleset in use. Its descriptor is valid until `release`. */
export interface HeldRuleset {
  readonly descriptor: number;
  readonly release: () => void;
}

interface Entry {
  readonly descriptor: number;
  readonly madeAtMs: number;
  /** Device and inode of every writable place. */
  readonly writable: string;
  users: number;
  retired: boolean;
}

/** A ruleset is closed when nobody holds it and it was retired. */
export class RulesetCache {
  readonly #entries = new Map<string, Entry>();
  readonly #texts = new WeakMap<readonly PathRule[], string>();

  /** A ruleset of `request`. @throws SystemError as `createRuleset`. */
  take(request: RulesetRequest): HeldRuleset {
    const key = this.#keyOf(request);
    const writable = identities(request.rules);
    let entry = this.#entries.get(key);
    if (entry !== undefined && (entry.writable !== writable || performance.now() - entry.madeAtMs > REBIND_AFTER_MS)) {
      this.#retire(key, entry);
      entry = undefined;
    }
    if (entry === undefined) {
      const descriptor = moveHigh(createRuleset(request));
      entry = { descriptor, madeAtMs: performance.now(), writable, users: 0, retired: false };
      this.#entries.set(key, entry);
      this.#dropOldest();
    }
    return hold(entry);
  }

  /** Closes every ruleset that no start holds; the others close with their last start. */
  close(): void {
    for (const [key, entry] of [...this.#entries]) this.#retire(key, entry);
  }

  /** The text of a plan's rules is 10 KB; the same plan comes with the same array, so it is made once. */
  #keyOf({ abi, refuseTcp, rules }: RulesetRequest): string {
    let text = this.#texts.get(rules);
    if (text === undefined) this.#texts.set(rules, text = JSON.stringify(rules));
    return `${abi} ${refuseTcp} ${text}`;
  }

  #dropOldest(): void {
    for (const [key, entry] of [...this.#entries].slice(0, Math.max(0, this.#entries.size - MAX_KEPT))) {
      this.#retire(key, entry);
    }
  }

  #retire(key: string, entry: Entry): void {
    this.#entries.delete(key);
    entry.retired = true;
    if (entry.users === 0) closeDescriptor(entry.descriptor);
  }
}

function hold(entry: Entry): HeldRuleset {
  entry.users += 1;
  let held = true;
  return {
    descriptor: entry.descriptor,
    release() {
      if (!held) return;
      held = false;
      entry.users -= 1;
      if (entry.retired && entry.users === 0) closeDescriptor(entry.descriptor);
    },
  };
}

function identities(rules: readonly PathRule[]): string {
  return rules.filter((rule) => rule.access === "write").map((rule) => identityOf(rule.path) ?? "-").join(" ");
}
