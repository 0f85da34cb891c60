/** An answer as server-sent events: progress first, the result last (MCP Streamable HTTP; O-14). */

const ENCODER = new TextEncoder();

/** An open answer. After the client closed it, sending and ending do nothing. */
export interface EventStream {
  readonly response: Response;
  /** Sends one JSON-RPC message as an event. */
  readonly send: (text: string) => void;
  readonly end: () => void;
  /** Aborted when the client closes the stream. */
  readonly closed: AbortSignal;
}

/** The response may be returned at once; events follow as they are sent. */
export function openEventStream(headers: Readonly<Record<string, string>>): EventStream {
  const closed = new AbortController();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => closed.abort(),
  });
  const send = (text: string) => {
    if (!closed.signal.aborted) controller?.enqueue(ENCODER.encode(`event: message\ndata: ${text}\n\n`));
  };
  const end = () => {
    if (!closed.signal.aborted) controller?.close();
  };
  const response = new Response(body, {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
      ...headers,
    },
  });
  return { response, send, end, closed: closed.signal };
}
