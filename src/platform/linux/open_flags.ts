/**
 * Flags of open(2), asm-generic/fcntl.h.
 *
 * x86-64 and arm64 agree on all but O_DIRECTORY and O_NOFOLLOW (arch/arm64/include/uapi/asm/fcntl.h).
 */

const IS_ARM = Deno.build.arch === "aarch64";

/** Reads only. */
export const O_RDONLY = 0;
/** Writes only. */
export const O_WRONLY = 1;
/** Reads and writes. */
export const O_RDWR = 2;
/** Makes the file where there is none. */
export const O_CREAT = 0o100;
/** With `O_CREAT`: fails where something is, links included. */
export const O_EXCL = 0o200;
/** A terminal that is opened does not become the controlling one. */
export const O_NOCTTY = 0o400;
/** Opening a FIFO waits for nobody. */
export const O_NONBLOCK = 0o4000;
/** Fails for what is no directory. */
export const O_DIRECTORY = IS_ARM ? 0o40000 : 0o200000;
/** Fails for a link at the end of the path. */
export const O_NOFOLLOW = IS_ARM ? 0o100000 : 0o400000;
/** The descriptor ends at execve(2). */
export const O_CLOEXEC = 0o2000000;
/** The descriptor stands for the name only and reads nothing. */
export const O_PATH = 0o10000000;
