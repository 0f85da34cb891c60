/* Tries to leave the sandbox. One line per attempt: name, TAB, `blocked` or `SUCCEEDED`, TAB, reason. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static void tell(const char *name, int ok) {
  if (ok) printf("%s\tSUCCEEDED\t\n", name);
  else printf("%s\tblocked\t%s\n", name, strerror(errno));
  fflush(stdout);
}
#define TRY(name, expression) (errno = 0, tell(name, (long)(expression) >= 0))

static char buffer[4096];
static const char *out(const char *name) {
  static char paths[8][512];
  static int next;
  char *path = paths[next++ & 7];
  snprintf(path, 512, "%s/%s", getenv("V_OUT"), name);
  return path;
}

static void unix_address(struct sockaddr_un *a, socklen_t *length, const char *name, int abstract) {
  memset(a, 0, sizeof *a);
  a->sun_family = AF_UNIX;
  if (abstract) {
    strcpy(a->sun_path + 1, name);
    *length = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);
  } else {
    strcpy(a->sun_path, name);
    *length = sizeof *a;
  }
}

static int connect_tcp(int family, int port) {
  int s = socket(family, SOCK_STREAM, 0);
  if (s < 0) return -1;
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  return family == AF_INET ? connect(s, (void *)&four, sizeof four) : connect(s, (void *)&six, sizeof six);
}

static int send_udp(int port) {
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  if (s < 0) return -1;
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  return sendto(s, "x", 1, 0, (void *)&four, sizeof four);
}

static int connect_unix(int type, const char *name, int abstract) {
  struct sockaddr_un a;
  socklen_t length;
  unix_address(&a, &length, name, abstract);
  int s = socket(AF_UNIX, type, 0);
  return s < 0 ? -1 : connect(s, (void *)&a, length);
}

static int send_unix_by_pair(const char *name) {
  struct sockaddr_un a;
  socklen_t length;
  int pair[2];
  unix_address(&a, &length, name, 0);
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) return -1;
  return sendto(pair[0], "x", 1, 0, (void *)&a, length);
}

static void each_thread(int server) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", server);
  DIR *d = opendir(path);
  int readable = 0, writable = 0, environ = 0, maps = 0, signalled = 0, threads = 0;
  struct dirent *e;
  while (d && (e = readdir(d))) {
    int tid = atoi(e->d_name);
    if (tid == 0) continue;
    threads++;
    struct iovec local = {buffer, 8}, remote = {(void *)0x10000, 8};
    errno = 0;
    if (syscall(SYS_process_vm_readv, tid, &local, 1, &remote, 1, 0) >= 0 || errno != EPERM) readable++;
    errno = 0;
    if (syscall(SYS_process_vm_writev, tid, &local, 1, &remote, 1, 0) >= 0 || errno != EPERM) writable++;
    snprintf(path, sizeof path, "/proc/%d/task/%d/environ", server, tid);
    int f = open(path, O_RDONLY);
    if (f >= 0 && read(f, buffer, 100) >= 0) environ++;
    snprintf(path, sizeof path, "/proc/%d/task/%d/maps", server, tid);
    f = open(path, O_RDONLY);
    if (f >= 0 && read(f, buffer, 100) > 0) maps++;
    if (kill(tid, SIGKILL) == 0 || syscall(SYS_tkill, tid, SIGKILL) == 0 || syscall(SYS_tgkill, server, tid, SIGKILL) == 0)
      signalled++;
  }
  errno = EPERM;
  if (threads == 0) tell("find the threads of the server", 1); /* the test expects to have tried every one */
  tell("read the memory of any thread of the server", readable);
  tell("write the memory of any thread of the server", writable);
  tell("read the environment of any thread of the server", environ);
  tell("read the memory map of any thread of the server", maps);
  tell("kill any thread of the server", signalled);
}

/* The kernel sends the signal in our name when the pipe becomes readable. The test looks at the victim. */
static void signal_by_io(int pid) {
  int ends[2];
  if (pipe(ends) < 0) return;
  fcntl(ends[0], F_SETOWN, pid);
  fcntl(ends[0], F_SETSIG, SIGKILL);
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  if (write(ends[1], "x", 1) < 0) return;
  usleep(10000);
}

static int set_limit(int pid) {
  struct rlimit none = {1, 1};
  return prlimit(pid, RLIMIT_CPU, &none, NULL);
}

static int by_handle(void) {
  struct { struct file_handle h; char bytes[128]; } handle = {.h = {.handle_bytes = 128}};
  int id;
  if (name_to_handle_at(AT_FDCWD, out("secret.txt"), &handle.h, &id, 0) < 0) return -1;
  int mount = open(".", O_RDONLY);
  return open_by_handle_at(mount, &handle.h, O_RDONLY);
}

static int child_of(long (*start)(void)) {
  int pid = fork(), status;
  if (pid == 0) _exit(start() >= 0 ? 0 : errno);
  waitpid(pid, &status, 0);
  errno = WEXITSTATUS(status);
  return errno == 0 ? 0 : -1;
}
static long user_namespace(void) { return unshare(CLONE_NEWUSER); }
static long mount_namespace(void) { return unshare(CLONE_NEWNS); }
static long network_namespace(void) { return unshare(CLONE_NEWNET); }
static long cloned_namespace(void) {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid;
}
static long join_namespace(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/ns/net", getenv("V_VICTIM"));
  int f = open(path, O_RDONLY);
  if (f < 0) f = open("/proc/self/ns/net", O_RDONLY);
  return f < 0 ? -1 : setns(f, 0);
}
static long change_root(void) { return chroot("."); }

int main(void) {
  int server = atoi(getenv("V_SERVER")), victim = atoi(getenv("V_VICTIM"));
  int f;

  TRY("read a file outside", open(out("secret.txt"), O_RDONLY));
  TRY("list a directory outside", open(out("."), O_RDONLY | O_DIRECTORY));
  TRY("overwrite a file outside", open(out("target.txt"), O_WRONLY));
  TRY("truncate a file outside by its path", truncate(out("target.txt"), 0));
  TRY("truncate a file outside by opening it", open(out("target.txt"), O_WRONLY | O_TRUNC));
  TRY("create a file outside", open(out("new.txt"), O_WRONLY | O_CREAT, 0600));
  TRY("make a directory outside", mkdir(out("newdir"), 0700));
  TRY("make a FIFO outside", mkfifo(out("fifo"), 0600));
  TRY("make a device node outside", mknod(out("node"), S_IFCHR | 0600, 0x103));
  TRY("make a symbolic link outside", symlink("/etc/passwd", out("planted")));
  TRY("delete a file outside", unlink(out("target.txt")));
  TRY("delete a directory outside", rmdir(out("dir")));
  TRY("rename a file outside", rename(out("target.txt"), out("moved.txt")));
  TRY("move a file from outside into the workspace", rename(out("target.txt"), "stolen.txt"));
  f = open("mine.txt", O_WRONLY | O_CREAT, 0600);
  close(f);
  TRY("move a file from the workspace to outside", rename("mine.txt", out("mine.txt")));
  TRY("link a file from outside into the workspace", link(out("secret.txt"), "hard.txt"));
  TRY("link a file of the workspace to outside", link("mine.txt", out("hard.txt")));
  symlink(out("secret.txt"), "soft.txt");
  TRY("read through a symbolic link that leaves the workspace", open("soft.txt", O_RDONLY));
  symlink(out("target.txt"), "softw.txt");
  TRY("write through a symbolic link that leaves the workspace", open("softw.txt", O_WRONLY));
  TRY("change the mode of a file outside", chmod(out("target.txt"), 0777));
  TRY("change the owner of a file outside", chown(out("target.txt"), getuid(), getgid()));
  struct timeval times[2] = {{1, 0}, {1, 0}};
  TRY("change the times of a file outside", utimes(out("target.txt"), times));
  TRY("set an extended attribute outside", setxattr(out("target.txt"), "user.x", "x", 1, 0));
  TRY("execute a program outside", execl(out("prog"), "prog", NULL));
  TRY("open a file outside by its handle", by_handle());
  snprintf(buffer, sizeof buffer, "/proc/%d/root%s", server, out("secret.txt"));
  TRY("read a file outside through the root of the server", open(buffer, O_RDONLY));
  snprintf(buffer, sizeof buffer, "/proc/self/root%s", out("secret.txt"));
  TRY("read a file outside through its own root", open(buffer, O_RDONLY));

  each_thread(server);
  snprintf(buffer, sizeof buffer, "/proc/%d/mem", server);
  TRY("open the memory of the server", open(buffer, O_RDWR));
  snprintf(buffer, sizeof buffer, "/proc/%d/fd/0", server);
  TRY("reach a descriptor of the server", readlink(buffer, buffer + 100, 100));
  snprintf(buffer, sizeof buffer, "/proc/%d/oom_score_adj", server);
  TRY("offer the server to the out-of-memory killer", open(buffer, O_WRONLY));
  TRY("trace the server", ptrace(PTRACE_ATTACH, server, 0, 0));
  TRY("seize the server", ptrace(PTRACE_SEIZE, server, 0, 0));
  f = syscall(SYS_pidfd_open, server, 0);
  TRY("take a descriptor of the server", syscall(SYS_pidfd_getfd, f, 0, 0));
  TRY("signal the server by a pidfd", syscall(SYS_pidfd_send_signal, f, SIGKILL, 0, 0));
  TRY("set limits of the server", set_limit(server));
  TRY("kill the server", kill(server, SIGKILL));
  TRY("kill another process of the user", kill(victim, SIGKILL));
  siginfo_t info = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
  TRY("queue a signal to another process", syscall(SYS_rt_sigqueueinfo, victim, SIGTERM, &info));

  signal_by_io(victim);
  signal_by_io(server);
  TRY("reach shared memory of another program", shmget(atoi(getenv("V_SHARED")), 1, 0));

  TRY("make a user namespace", child_of(user_namespace));
  TRY("make a mount namespace", child_of(mount_namespace));
  TRY("make a network namespace", child_of(network_namespace));
  TRY("make a user namespace by clone", child_of(cloned_namespace));
  TRY("join a namespace", child_of(join_namespace));
  TRY("change the root directory", child_of(change_root));
  TRY("mount", mount("none", ".", "tmpfs", 0, NULL));
  TRY("bind a directory from outside", mount(getenv("V_OUT"), ".", NULL, MS_BIND, NULL));
  TRY("open a mount tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
  TRY("load a kernel program", syscall(SYS_bpf, 0, buffer, 64));
  TRY("sample the kernel", syscall(SYS_perf_event_open, buffer, 0, -1, -1, 0));
  TRY("use the keyring of the session", syscall(SYS_keyctl, 0, -3, 0));
  TRY("add a key", syscall(SYS_add_key, "user", "vise", "x", 1, -3));
  TRY("make a userfault descriptor", syscall(SYS_userfaultfd, 0));
  TRY("read the kernel log", syscall(SYS_syslog, 3, buffer, 100));
  TRY("load a module", syscall(SYS_init_module, buffer, 8, ""));

  int netns = atoi(getenv("V_LOOPBACK"));
  int tcp = atoi(getenv("V_TCP"));
  TRY("connect by TCP to a service of the host", connect_tcp(AF_INET, tcp));
  TRY("connect by IPv6 to a service of the host", connect_tcp(AF_INET6, tcp));
  /* In a namespace of its own sending succeeds and ends there: the test looks at the receiver. */
  if (!netns) TRY("send a datagram to a service of the host", send_udp(atoi(getenv("V_UDP"))));
  else send_udp(atoi(getenv("V_UDP")));
  TRY("open a raw socket", socket(AF_INET, SOCK_RAW, 1));
  TRY("open a packet socket", socket(AF_PACKET, SOCK_RAW, 0));
  TRY("open a socket to the virtual machine's host", socket(40, SOCK_STREAM, 0));
  TRY("open a kernel cryptography socket", socket(38, SOCK_SEQPACKET, 0));
  TRY("set up an io_uring", syscall(SYS_io_uring_setup, 4, buffer));
  TRY("connect to an abstract socket of the host", connect_unix(SOCK_STREAM, getenv("V_ABSTRACT"), 1));
  if (!netns) {
    TRY("listen for TCP", ({
          int s = socket(AF_INET, SOCK_STREAM, 0);
          struct sockaddr_in any = {.sin_family = AF_INET};
          s < 0 ? -1 : bind(s, (void *)&any, sizeof any);
        }));
    TRY("connect to a Unix socket by its path", connect_unix(SOCK_STREAM, out("sock"), 0));
    TRY("send to a Unix socket by its path", connect_unix(SOCK_DGRAM, out("dgram"), 0));
    TRY("send to a Unix socket through a pair", send_unix_by_pair(out("dgram")));
  }
  return 0;
}
