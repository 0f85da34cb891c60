/** Requests that are being served on one connection, so that they can be cancelled. */

/** One per connection; ids are unique within it only. */
export class InFlight {
  // A list per id: two requests with one id are both served, and a cancellation reaches both.
  readonly #running = new Map<string, Set<RunningRequest>>();

  /** Notes a request by the key of its id; call `done()` of the result when its answer was handed to the transport or given up. */
  begin(key: string, closed: AbortSignal): RunningRequest {
    const request = new RunningRequest(closed, () => this.#forget(key, request));
    const siblings = this.#running.get(key);
    if (siblings === undefined) this.#running.set(key, new Set([request]));
    else siblings.add(request);
    return request;
  }

  /** Stops the requests with the id of this key; unknown ids are ignored, as the notification may cross the answer. */
  cancel(key: string): void {
    for (const request of this.#running.get(key) ?? []) request.cancel();
  }

  #forget(key: string, request: RunningRequest): void {
    const siblings = this.#running.get(key);
    siblings?.delete(request);
    if (siblings?.size === 0) this.#running.delete(key);
  }
}

/** A request from its arrival to its answer. Once cancelled it must not be answered any more (MCP, "Cancellation"). */
export class RunningRequest {
  readonly #controller = new AbortController();
  readonly #undo: (() => void)[] = [];
  readonly #forget: () => void;
  readonly #closed: AbortSignal;
  readonly #onClosed = () => this.cancel();
  #finished = false;

  constructor(closed: AbortSignal, forget: () => void) {
    this.#forget = forget;
    this.#closed = closed;
    if (closed.aborted) this.#controller.abort();
    else closed.addEventListener("abort", this.#onClosed);
  }

  /** Aborted by a cancellation, or with the connection. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the answer is to be dropped. */
  get cancelled(): boolean {
    return this.#controller.signal.aborted;
  }

  cancel(): void {
    if (this.#finished || this.cancelled) return;
    this.#controller.abort();
    for (const undo of this.#undo.splice(0)) undo();
  }

  /** Registers what takes back a side effect that nobody will ever hear of (O-13). Runs at once if already cancelled. */
  onUnanswered(undo: () => void): void {
    if (this.cancelled) undo();
    else this.#undo.push(undo);
  }

  /** Ends the bookkeeping; a cancellation that comes later does nothing. */
  done(): void {
    this.#finished = true;
    this.#closed.removeEventListener("abort", this.#onClosed);
    this.#forget();
  }
}
