/**
 * One waiting call for every descriptor of every child: `poll(2)` on a pool thread, woken by an eventfd.
 *
 * Order of a turn: poll returns, ready entries are served in rotating order within a time budget, descriptors given
 * up meanwhile are closed, the next poll starts. No thread waits while nothing is registered.
 */

import { lastErrno, openLibc } from "./libc.ts";
import { EAGAIN, EINTR } from "./errno_numbers.ts";

/** Bits of `struct pollfd` (poll(2)). */
export const POLL_IN = 0x001;
/** The descriptor can be written (poll(2)). */
export const POLL_OUT = 0x004;
const POLL_NVAL = 0x020;

/**
 * Serves a ready descriptor: reads or writes once or a few times, never blocking.
 *
 * Returns true when more could be done at once, so that it is served again in this turn if time is left.
 */
export type PollHandler = (revents: number) => boolean;

interface Entry {
  readonly fd: number;
  events: number;
  readonly handler: PollHandler;
}

/** Longest a turn serves descriptors before timers and requests get their chance, milliseconds. Sixteen floods then
 * leave an answer to `ping` within a few of these. */
const TURN_BUDGET_MS = 4;
const POLLFD_BYTES = 8;
const EFD_NONBLOCK = 0o4000;
const EFD_CLOEXEC = 0o2000000;

const SYMBOLS = {
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32", nonblocking: true },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** One per host; a turn serves handlers for at most `TURN_BUDGET_MS` before timers get their chance. */
export class PollLoop {
  readonly #libc = openLibc(SYMBOLS);
  readonly #entries = new Map<number, Entry>();
  /** Given up while a poll names them: closing at once could hand their number to a stranger that the poll then sees. */
  readonly #closing: number[] = [];
  readonly #eight = new Uint8Array(8);
  #wakeFd = -1;
  #polling = false;
  #running = false;
  #woken = false;
  #rotation = 0;

  /** Registered descriptors, for leak tests. */
  get size(): number {
    return this.#entries.size;
  }

  /** Calls `handler` whenever `fd` is ready for `events` or broken, until `close`. */
  add(fd: number, events: number, handler: PollHandler): void {
    this.#entries.set(fd, { fd, events, handler });
    if (this.#running) {
      this.#wake();
      return;
    }
    this.#running = true;
    // After the caller has registered everything that belongs together, so that the first poll names it all.
    queueMicrotask(() => void this.#run());
  }

  /** Changes what `fd` is waited for; 0 waits for errors only. */
  setEvents(fd: number, events: number): void {
    const entry = this.#entries.get(fd);
    if (entry === undefined || entry.events === events) return;
    entry.events = events;
    this.#wake();
  }

  /** Stops waiting for `fd` and closes it, registered or not. The number must not be used afterwards. */
  close(fd: number): void {
    this.#entries.delete(fd);
    if (this.#polling) {
      this.#closing.push(fd);
      this.#wake();
    } else {
      this.#libc.close(fd);
    }
  }

  #wake(): void {
    if (!this.#polling || this.#woken) return;
    this.#woken = true;
    new DataView(this.#eight.buffer).setBigUint64(0, 1n, true);
    this.#libc.write(this.#wakeFd, this.#eight, 8n);
  }

  async #run(): Promise<void> {
    if (this.#wakeFd < 0) this.#wakeFd = this.#libc.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    while (this.#entries.size > 0) {
      const entries = [...this.#entries.values()];
      const table = new Uint8Array((entries.length + 1) * POLLFD_BYTES);
      const view = new DataView(table.buffer);
      entries.forEach((entry, index) => describe(view, index, entry.fd, entry.events));
      describe(view, entries.length, this.#wakeFd, POLL_IN);
      this.#polling = true;
      // `table` stays referenced across the await: nonblocking FFI does not keep its buffers alive (O-52).
      const ready = await this.#libc.poll(table, BigInt(entries.length + 1), -1);
      this.#polling = false;
      if (this.#woken) {
        this.#libc.read(this.#wakeFd, this.#eight, 8n);
        this.#woken = false;
      }
      if (ready > 0) this.#serve(entries, view);
      for (const fd of this.#closing.splice(0)) this.#libc.close(fd);
    }
    this.#running = false;
  }

  #serve(entries: readonly Entry[], view: DataView): void {
    const ready: { entry: Entry; revents: number }[] = [];
    entries.forEach((entry, index) => {
      const revents = view.getInt16(index * POLLFD_BYTES + 6, true);
      if (revents !== 0) ready.push({ entry, revents });
    });
    const endsAt = performance.now() + TURN_BUDGET_MS;
    const shift = ready.length > 0 ? this.#rotation++ % ready.length : 0;
    let queue = [...ready.slice(shift), ...ready.slice(0, shift)];
    while (queue.length > 0) {
      const again: typeof queue = [];
      for (const item of queue) {
        if (this.#entries.get(item.entry.fd) !== item.entry) continue;
        if ((item.revents & POLL_NVAL) !== 0) {
          // Somebody closed a descriptor of ours; waiting for it would spin.
          this.#entries.delete(item.entry.fd);
          item.entry.handler(item.revents);
        } else if (item.entry.handler(item.revents)) {
          again.push(item);
        }
        if (performance.now() >= endsAt) return;
      }
      queue = again;
    }
  }
}

function describe(view: DataView, index: number, fd: number, events: number): void {
  view.setInt32(index * POLLFD_BYTES, fd, true);
  view.setInt16(index * POLLFD_BYTES + 4, events, true);
}

/** True when the last synchronous call failed only because it would have had to wait. */
export function wouldBlock(): boolean {
  const errno = lastErrno();
  return errno === EAGAIN || errno === EINTR;
}
