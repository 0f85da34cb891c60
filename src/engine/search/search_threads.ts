/** The threads that search: Workers, started when needed and ended when idle, or this thread where there are none. */

import { SearchRole } from "./search_role.ts";
import type { ThreadReply, ThreadRequest } from "./search_messages.ts";

/** One thread; requests are done in the order of their posting. */
export interface SearchThread {
  post(request: ThreadRequest): void;
  /** Ends it at once, whatever it is doing. */
  end(): void;
}

/** What a thread tells its owner. */
export interface ThreadEvents {
  reply(reply: ThreadReply): void;
  /** The thread is gone; nothing more comes from it. */
  broke(reason: string): void;
}

/** Starts a Worker of the entry at `entryUrl`. It replies `ready`, or breaks where Workers are not permitted. */
export function startWorkerThread(entryUrl: string, events: ThreadEvents): SearchThread {
  const worker = new Worker(entryUrl, { type: "module", name: "vise:search" });
  worker.onmessage = (event) => events.reply(event.data as ThreadReply);
  worker.onmessageerror = () => events.broke("a message could not be read");
  worker.onerror = (event) => {
    // Handled here: unhandled, it would end the whole program.
    event.preventDefault();
    events.broke(event.message);
  };
  return { post: (request) => worker.postMessage(request), end: () => worker.terminate() };
}

/** Does the work on this thread, one request at a time with a turn of the event loop in between. */
export function startInlineThread(events: ThreadEvents): SearchThread {
  const role = new SearchRole((reply) => events.reply(reply));
  const requests: ThreadRequest[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const turn = () => {
    timer = undefined;
    const request = requests.shift();
    if (request === undefined) return;
    role.handle(request);
    if (requests.length > 0) timer ??= setTimeout(turn);
  };
  queueMicrotask(() => events.reply({ kind: "ready" }));
  return {
    post: (request) => {
      requests.push(request);
      timer ??= setTimeout(turn);
    },
    end: () => clearTimeout(timer),
  };
}
