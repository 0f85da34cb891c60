/** Signal numbers of Linux on x86-64 and arm64 (signal(7)). */

const NAMES = [
  "",
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGUSR1",
  "SIGSEGV",
  "SIGUSR2",
  "SIGPIPE",
  "SIGALRM",
  "SIGTERM",
  "SIGSTKFLT",
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGVTALRM",
  "SIGPROF",
  "SIGWINCH",
  "SIGIO",
  "SIGPWR",
  "SIGSYS",
] as const;

/** First real-time signal that programs may use; glibc keeps 32 and 33 for itself (signal(7)). */
const SIGRTMIN = 34;

/** `SIGTERM` for 15; real-time signals as `SIGRTMIN+n`. */
export function signalName(number: number): string {
  return NAMES[number] ?? (number >= SIGRTMIN ? `SIGRTMIN+${number - SIGRTMIN}` : `SIG${number}`);
}

/** 15 for `SIGTERM`. @throws RangeError for a name outside the standard 31 */
export function signalNumber(name: string): number {
  const number = (NAMES as readonly string[]).indexOf(name);
  if (number < 1) throw new RangeError(`Cannot send ${name}: not a standard signal`);
  return number;
}
