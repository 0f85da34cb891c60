/** How a child process is started: the meeting point of the spawn room and the sandbox. */

/** A descriptor of the server that the child gets under another number. */
export interface InheritedDescriptor {
  readonly from: number;
  readonly to: number;
}

/**
 * A complete start: what is executed and what it inherits besides descriptors 0–2.
 *
 * Unconfined: `path` is the program. Confined: `path` is the trampoline (O-31), which restricts itself and then
 * executes the rest of `argv`; a failed step arrives as 8 bytes on `statusRead` (two little-endian int32: step, errno),
 * end of file without bytes means that the program was executed.
 */
export interface Launch {
  readonly path: string;
  readonly argv: readonly string[];
  readonly inherit: readonly InheritedDescriptor[];
  /** Read end of the close-on-exec status pipe; null without a trampoline. The spawner reads and closes it. */
  readonly statusRead: number | null;
  /** Closes the server's copies of what only this start needs; called once, after the spawn. */
  readonly release: () => void;
}
