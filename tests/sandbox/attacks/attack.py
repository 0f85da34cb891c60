"""Tries to leave the sandbox. One line per attempt: name, TAB, `blocked` or `SUCCEEDED`, TAB, reason."""
import ctypes
import os
import resource
import signal
import socket

OUT = os.environ["V_OUT"]
SERVER = int(os.environ["V_SERVER"])
VICTIM = int(os.environ["V_VICTIM"])
LOOPBACK = os.environ["V_LOOPBACK"] == "1"
libc = ctypes.CDLL(None, use_errno=True)


def out(name):
    return os.path.join(OUT, name)


def attempt(name, action):
    try:
        action()
        print(name, "SUCCEEDED", "", sep="\t", flush=True)
    except (OSError, ValueError) as fault:
        print(name, "blocked", fault, sep="\t", flush=True)


def call(function, *arguments):
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def write(path, mode="w"):
    with open(path, mode) as file:
        file.write("evil")


attempt("read a file outside", lambda: open(out("secret.txt")).read())
attempt("list a directory outside", lambda: os.listdir(OUT))
attempt("overwrite a file outside", lambda: write(out("target.txt"), "r+"))
attempt("append to a file outside", lambda: write(out("target.txt"), "a"))
attempt("truncate a file outside by its path", lambda: os.truncate(out("target.txt"), 0))
attempt("create a file outside", lambda: write(out("new.txt")))
attempt("make a directory outside", lambda: os.mkdir(out("newdir")))
attempt("make a symbolic link outside", lambda: os.symlink("/etc/passwd", out("planted")))
attempt("delete a file outside", lambda: os.unlink(out("target.txt")))
attempt("rename a file outside", lambda: os.rename(out("target.txt"), out("moved.txt")))
attempt("move a file from outside into the workspace", lambda: os.rename(out("target.txt"), "stolen-py.txt"))
attempt("link a file from outside into the workspace", lambda: os.link(out("secret.txt"), "hard-py.txt"))
attempt("change the mode of a file outside", lambda: os.chmod(out("target.txt"), 0o777))
attempt("change the owner of a file outside", lambda: os.chown(out("target.txt"), os.getuid(), os.getgid()))
attempt("change the times of a file outside", lambda: os.utime(out("target.txt"), (1, 1)))
attempt("set an extended attribute outside", lambda: os.setxattr(out("target.txt"), "user.x", b"x"))
os.symlink(out("secret.txt"), "soft-py.txt")
attempt("read through a symbolic link that leaves the workspace", lambda: open("soft-py.txt").read())


def swap_symlink():
    """A directory is replaced by a link to outside between two steps, as a race would."""
    os.makedirs("swap", exist_ok=True)
    descriptor = os.open("swap", os.O_RDONLY)
    os.rmdir("swap")
    os.symlink(OUT, "swap")
    os.open("swap/secret.txt", os.O_RDONLY)
    os.close(descriptor)


attempt("read through a directory swapped for a link", swap_symlink)
attempt("read the environment of the server", lambda: open(f"/proc/{SERVER}/environ").read())
attempt("read the memory map of the server", lambda: open(f"/proc/{SERVER}/maps").read())
attempt("open the memory of the server", lambda: open(f"/proc/{SERVER}/mem", "rb"))
attempt("reach a descriptor of the server", lambda: os.readlink(f"/proc/{SERVER}/fd/0"))
attempt("read a file outside through the root of the server", lambda: open(f"/proc/{SERVER}/root{out('secret.txt')}"))
attempt("trace the server", lambda: call(libc.ptrace, 16, SERVER, 0, 0))
attempt("set limits of the server", lambda: resource.prlimit(SERVER, resource.RLIMIT_CPU, (1, 1)))
attempt("kill the server", lambda: os.kill(SERVER, signal.SIGKILL))
attempt("kill another process of the user", lambda: os.kill(VICTIM, signal.SIGKILL))
attempt("kill the process group of the server", lambda: os.killpg(os.getpgid(SERVER), signal.SIGKILL))
attempt("make a user namespace", lambda: call(libc.unshare, 0x10000000))
attempt("mount", lambda: call(libc.mount, b"none", b".", b"tmpfs", 0, None))
attempt("change the root directory", lambda: os.chroot("."))
attempt("gain the rights of root", lambda: os.setuid(0) if os.getuid() != 0 else os.setuid(12345))


def connect(family, kind, address):
    with socket.socket(family, kind) as connection:
        connection.connect(address)
        connection.send(b"x")


TCP = int(os.environ["V_TCP"])
attempt("connect by TCP to a service of the host", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", TCP)))
attempt("connect by IPv6 to a service of the host", lambda: connect(socket.AF_INET6, socket.SOCK_STREAM, ("::1", TCP)))
attempt("resolve a name", lambda: socket.getaddrinfo("example.com", 80))
attempt(
    "connect to an abstract socket of the host",
    lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + os.environ["V_ABSTRACT"]),
)
attempt("open a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
if not LOOPBACK:
    attempt("listen for TCP", lambda: socket.create_server(("127.0.0.1", 0)))
    attempt("send a datagram to a service of the host", lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", int(os.environ["V_UDP"]))))
    attempt("connect to a Unix socket by its path", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, out("sock")))
    attempt("send to a Unix socket by its path", lambda: connect(socket.AF_UNIX, socket.SOCK_DGRAM, out("dgram")))
