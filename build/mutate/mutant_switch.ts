/** Which mutant is on, and what was reached. Instrumented files call this. */

let active = -1;
let reached: Set<number> | null = new Set();
let turns = 0;
let turnLimit = Infinity;

/** True for the mutant that is on. @throws Error after too many calls, so that an endless loop elsewhere ends as well */
export function isOn(id: number): boolean {
  turn();
  if (reached !== null) reached.add(id);
  return id === active;
}

/** Counts a turn of a loop. @throws Error when it seems to be endless */
export function turn(): void {
  if (++turns > turnLimit) throw new Error("a loop does not end");
}

/** Makers of the constants of modules, in the order of loading. */
const makers: (() => void)[] = [];

/** Adds a maker. */
export function again(make: () => void): void {
  makers.push(make);
}

/** Turns the mutant on, -1 all off, and makes the constants of the modules anew. @throws what a maker throws */
export function setActive(id: number): void {
  active = id;
  for (const make of makers) make();
}

/** Starts to note what is reached, or stops. */
export function noteReached(on: boolean): void {
  reached = on ? new Set() : null;
}

/** Mutants reached since noting began. */
export function reachedMutants(): number[] {
  return [...reached ?? []];
}

/** Starts to count turns anew. */
export function limitTurns(limit: number): void {
  turns = 0;
  turnLimit = limit;
}

/** Turns and calls counted. */
export function countedTurns(): number {
  return turns;
}
