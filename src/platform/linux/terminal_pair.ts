/** Pseudo-terminals (pty(7)). */

import { SystemError } from "../errno.ts";
import type { TerminalSize } from "../child.ts";
import { lastErrno, openLibc } from "./libc.ts";
import { O_CLOEXEC, O_NOCTTY, O_NONBLOCK, O_RDWR } from "./open_flags.ts";

/** Two descriptors of ours; whoever opened the pair closes both. */
export interface TerminalPair {
  /** Nonblocking, close-on-exec. */
  readonly master: number;
  /**
   * Our own hold on the other side: without it the master reports the end whenever the command has closed all of its
   * descriptors for a moment. Given back at the command's exit.
   */
  readonly slave: number;
  /** Path of the other side, which the child opens to make it its controlling terminal. */
  readonly slavePath: string;
}

/** ioctl_tty(2). */
const TIOCSWINSZ = 0x5414n;
const WINSIZE_BYTES = 8;
/** Bits of `c_lflag` (termios(3)), a 32-bit field behind three others. */
const LFLAG_OFFSET = 12;
const ICANON = 0o2;
const ECHO = 0o10;

/** Opens a pair with a window of `size`. @throws SystemError */
export function openTerminalPair(size: TerminalSize): TerminalPair {
  const libc = symbols();
  const master = libc.posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0) throw new SystemError(lastErrno(), "posix_openpt", "/dev/ptmx");
  try {
    const name = new Uint8Array(128);
    if (libc.grantpt(master) !== 0 || libc.unlockpt(master) !== 0 || libc.ptsname_r(master, name, 128n) !== 0) {
      throw new SystemError(lastErrno(), "unlockpt", "/dev/ptmx");
    }
    resizeTerminal(master, size);
    // Security: O_NOCTTY, or the terminal would become the server's own and a hang-up would end it.
    const slave = libc.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    const slavePath = new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
    if (slave < 0) throw new SystemError(lastErrno(), "open", slavePath);
    return { master, slave, slavePath };
  } catch (fault) {
    libc.close(master);
    throw fault;
  }
}

/** Sets the window; the kernel tells the foreground process group by SIGWINCH. */
function resizeTerminal(master: number, size: TerminalSize): void {
  const window = new Uint8Array(WINSIZE_BYTES);
  const view = new DataView(window.buffer);
  view.setUint16(0, size.rows, true);
  view.setUint16(2, size.columns, true);
  symbols().ioctl(master, TIOCSWINSZ, window);
}

/** Whether lines are edited by the kernel and echoed; null when the terminal is gone. */
export function readTerminalMode(master: number): { canonical: boolean; echo: boolean } | null {
  const termios = new Uint8Array(128);
  if (symbols().tcgetattr(master, termios) !== 0) return null;
  const flags = new DataView(termios.buffer).getUint32(LFLAG_OFFSET, true);
  return { canonical: (flags & ICANON) !== 0, echo: (flags & ECHO) !== 0 };
}

const SYMBOLS = {
  posix_openpt: { parameters: ["i32"], result: "i32" },
  grantpt: { parameters: ["i32"], result: "i32" },
  unlockpt: { parameters: ["i32"], result: "i32" },
  ptsname_r: { parameters: ["i32", "buffer", "usize"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  tcgetattr: { parameters: ["i32", "buffer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

let cached: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | undefined;

function symbols(): Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] {
  return cached ??= openLibc(SYMBOLS);
}
