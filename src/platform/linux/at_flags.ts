/** Values of the calls that take a directory descriptor and a name (fcntl.h, linux/fcntl.h; openat(2), fstatat(2)). */

/** The current directory in place of a descriptor. */
export const AT_FDCWD = -100;
/** A link at the end is meant itself. */
export const AT_SYMLINK_NOFOLLOW = 0x100;
/** unlinkat(2) removes an empty directory. */
export const AT_REMOVEDIR = 0x200;
/** An empty name means the descriptor itself. */
export const AT_EMPTY_PATH = 0x1000;
