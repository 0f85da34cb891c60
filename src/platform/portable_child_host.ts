/** Children by the runtime's own process API: Windows, macOS, and Linux without FFI. Terminals only where `script` makes them. */

import type { Child, ChildEvents, ChildHost, SpawnRequest, StreamName } from "./child.ts";
import { SystemError } from "./errno.ts";
import { terminalByScript } from "./macos/terminal_by_script.ts";
import type { ProcessTable } from "./process_table.ts";

/** The fallback of every system, made of what the runtime offers. */
export class PortableChildHost implements ChildHost {
  readonly terminalRefusal: string | null;
  readonly processes: ProcessTable | null;

  /** @param terminalRefusal why there are no terminals; null where `script` makes them */
  constructor(terminalRefusal: string | null, processes: ProcessTable | null = null) {
    this.terminalRefusal = terminalRefusal;
    this.processes = processes;
  }

  spawn(request: SpawnRequest): Child {
    const { terminal } = request;
    const launch = terminal === null ? request.launch : terminalByScript(request.launch, terminal);
    const hasInput = request.stdin === "pipe" || terminal !== null;
    try {
      const child = new Deno.Command(launch.path, {
        args: launch.argv.slice(1),
        clearEnv: true,
        env: { ...request.env },
        cwd: request.cwd,
        stdin: hasInput ? "piped" : "null",
        stdout: "piped",
        stderr: "piped",
        // An own session, so that a signal reaches the whole group; Windows has no groups of that kind.
        ...(Deno.build.os === "windows" ? {} : { detached: true }),
      }).spawn();
      return new PortableChild(child, request.events, { hasInput });
    } catch (fault) {
      throw new SystemError(errnoOf(fault), "spawn", launch.path);
    } finally {
      launch.release();
    }
  }
}

class PortableChild implements Child {
  readonly pid: number;
  readonly started = Promise.resolve();
  readonly #child: Deno.ChildProcess;
  readonly #events: ChildEvents;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | null;
  readonly #readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  #writing: Promise<void> = Promise.resolve();
  #queuedBytes = 0;
  #writtenBytes = 0;
  #open: boolean;
  #exited = false;
  #openStreams = 2;

  constructor(child: Deno.ChildProcess, events: ChildEvents, { hasInput }: { hasInput: boolean }) {
    this.pid = child.pid;
    this.#child = child;
    this.#events = events;
    this.#open = hasInput;
    this.#writer = hasInput ? child.stdin.getWriter() : null;
    void this.#pump("stdout", child.stdout);
    void this.#pump("stderr", child.stderr);
    void child.status.then((status) => {
      this.#exited = true;
      this.#events.exited({
        exitCode: status.signal === null ? status.code : null,
        signal: status.signal,
        cpuMs: null,
        peakMemoryBytes: null,
      });
    });
  }

  get stdinWrittenBytes(): number {
    return this.#writtenBytes;
  }

  get stdinQueuedBytes(): number {
    return this.#queuedBytes;
  }

  get stdinOpen(): boolean {
    return this.#open && !this.#exited;
  }

  write(bytes: Uint8Array): boolean {
    if (!this.stdinOpen || this.#writer === null) return false;
    const copy = new Uint8Array(bytes);
    const writer = this.#writer;
    this.#queuedBytes += copy.length;
    this.#writing = this.#writing.then(async () => {
      try {
        await writer.write(copy);
        this.#writtenBytes += copy.length;
      } catch {
        // The reader went away: what is left cannot be delivered.
        this.#open = false;
      }
      this.#queuedBytes -= copy.length;
    });
    return true;
  }

  drained(): Promise<void> {
    return this.#writing;
  }

  closeStdin(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#writing = this.#writing.then(() => this.#writer?.close()).catch(() => {
      // Already closed by the other side.
    });
  }

  signal(name: string): boolean {
    // Security: after the exit the number belongs to the group only as long as somebody of it holds a stream.
    if (this.#exited && this.#openStreams === 0) return false;
    try {
      if (Deno.build.os === "windows") this.#child.kill(name as Deno.Signal);
      else Deno.kill(-this.pid, name as Deno.Signal);
      return true;
    } catch {
      // It ended in this moment.
      return false;
    }
  }

  terminalMode(): null {
    return null;
  }

  release(): void {
    for (const reader of this.#readers) void reader.cancel().catch(() => undefined);
    this.closeStdin();
  }

  async #pump(stream: StreamName, source: ReadableStream<Uint8Array>): Promise<void> {
    const reader = source.getReader();
    this.#readers.push(reader);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        this.#events.output(stream, value);
      }
    } catch {
      // A broken pipe ends the stream like its end does.
    }
    this.#openStreams--;
    this.#events.streamEnded(stream);
  }
}

function errnoOf(fault: unknown): string {
  if (fault instanceof Deno.errors.NotFound) return "ENOENT";
  if (fault instanceof Deno.errors.PermissionDenied) return "EACCES";
  if (fault instanceof Deno.errors.NotCapable) return "EPERM";
  const code = (fault as { code?: unknown }).code;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "EIO";
}
