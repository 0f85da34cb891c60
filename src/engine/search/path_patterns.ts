/**
 * Many slash-separated patterns followed down a tree at once.
 *
 * A state is a pattern and the component that the next name must match. Entering a directory moves every state on, so
 * that a name is only ever compared with the patterns that its parents agreed to, and `**` costs no backtracking.
 */

import { type Component, matchesComponent } from "./wildcard.ts";

/** States after some directories were entered; immutable. Each is `pattern * STRIDE + component`. */
export type PathStates = readonly number[];

/** Never changed once made, so that walks can share it. */
export class PathPatterns {
  readonly #patterns: readonly (readonly Component[])[];

  /** Each pattern has fewer than `STRIDE` components. */
  constructor(patterns: readonly (readonly Component[])[]) {
    this.#patterns = patterns;
  }

  /** The states at the directory that the patterns are relative to. */
  start(): PathStates {
    return this.#closed(this.#patterns.map((_, index) => index * STRIDE));
  }

  /** The states inside the directory `name`. */
  enter(states: PathStates, name: string): PathStates {
    if (states.length === 0) return states;
    const next: number[] = [];
    for (const state of states) {
      const pattern = this.#patterns[Math.floor(state / STRIDE)] as readonly Component[];
      const component = pattern[state % STRIDE] as Component;
      if (component.kind === "any-depth") next.push(state);
      else if (state % STRIDE + 1 < pattern.length && matchesComponent(component, name)) next.push(state + 1);
    }
    return this.#closed(next);
  }

  /** Calls `found` with the index of every pattern that matches the entry `name`, in no particular order. */
  forEachMatch(states: PathStates, name: string, found: (index: number) => void): void {
    for (const state of states) {
      const index = Math.floor(state / STRIDE);
      const pattern = this.#patterns[index] as readonly Component[];
      const at = state % STRIDE;
      if (at + 1 === pattern.length && matchesComponent(pattern[at] as Component, name)) found(index);
    }
  }

  /** True when any pattern matches the entry `name`. */
  matchesAny(states: PathStates, name: string): boolean {
    let isMatched = false;
    this.forEachMatch(states, name, () => isMatched = true);
    return isMatched;
  }

  /** Adds what a `**` reaches by standing for no directory at all. A `**` at the end stands for at least one name. */
  #closed(states: readonly number[]): PathStates {
    const all = new Set(states);
    for (const state of all) {
      const pattern = this.#patterns[Math.floor(state / STRIDE)] as readonly Component[];
      const at = state % STRIDE;
      if (pattern[at]?.kind === "any-depth" && at + 1 < pattern.length) all.add(state + 1);
    }
    return [...all];
  }
}

/** More components than PATH_MAX (4,096 bytes) lets a path have. */
export const STRIDE = 4_096;
