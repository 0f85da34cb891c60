/**
 * A terminal on macOS without calls into the C library: `script` (script(1)) opens one, runs the program on it and
 * passes its own pipes through. Never run by us: there was no Mac to try it on.
 */

import type { TerminalSize } from "../child.ts";
import type { Launch } from "../launch.ts";

const SCRIPT = "/usr/bin/script";
/** Sets the window, which `script` leaves at 0×0, then becomes the program. */
const SET_WINDOW = 'stty rows "$0" columns "$1"; shift; exec "$@"';

/** A start of `launch` on a terminal of `size`. Nothing is recorded: the transcript goes to the null device. */
export function terminalByScript(launch: Launch, size: TerminalSize): Launch {
  const program = ["/bin/sh", "-c", SET_WINDOW, String(size.rows), String(size.columns), launch.path];
  return { ...launch, path: SCRIPT, argv: [SCRIPT, "-q", "/dev/null", ...program, ...launch.argv.slice(1)] };
}
