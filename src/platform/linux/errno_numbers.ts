/** Numbers of errors that system calls are asked about (errno(3); asm-generic/errno-base.h and errno.h, one for all). */

/** Not permitted, whatever the permission bits say. */
export const EPERM = 1;
/** No such entry. */
export const ENOENT = 2;
/** A signal came; the call is to be made again. */
export const EINTR = 4;
/** Not now, or too many for the moment. */
export const EAGAIN = 11;
/** Permission denied. */
export const EACCES = 13;
/** Something on the way is no directory. */
export const ENOTDIR = 20;
/** An argument the kernel does not take, such as a flag it does not know. */
export const EINVAL = 22;
/** The kernel does not have the call. */
export const ENOSYS = 38;
/** A link where none may be, or too many of them. */
export const ELOOP = 40;
