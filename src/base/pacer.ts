/** Keeps long work from holding the event loop. */

import { setImmediate } from "node:timers";

/** Work between two rests, milliseconds: well under the 20 ms that nothing may block for. */
const SLICE_MS = 8;

/** Says when it is time to let other work run. One per long task. */
export class Pacer {
  #restAt = performance.now() + SLICE_MS;

  /** True when the slice is used up; then await `rest`. */
  get isDue(): boolean {
    return performance.now() >= this.#restAt;
  }

  /** Lets everything that waits run once. @throws the reason of `signal` when it is aborted */
  async rest(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    this.#restAt = performance.now() + SLICE_MS;
  }
}
