/** Which namespaces unshare(2) makes and setns(2) joins (linux/sched.h; namespaces(7)). */

/** Mounts. */
export const CLONE_NEWNS = 0x0002_0000;
/** System V IPC and POSIX message queues. */
export const CLONE_NEWIPC = 0x0800_0000;
/** Users, groups and capabilities. */
export const CLONE_NEWUSER = 0x1000_0000;
/** Network devices, addresses and ports. */
export const CLONE_NEWNET = 0x4000_0000;
