# Tries to leave the sandbox. One line per attempt: name, TAB, `blocked` or `SUCCEEDED`, TAB, reason.
use strict;
use warnings;
use Socket;
$| = 1;
my ($out, $server, $victim) = @ENV{qw(V_OUT V_SERVER V_VICTIM)};

sub attempt {
  my ($name, $action) = @_;
  $! = 0;
  my $ok = eval { $action->() };
  print join("\t", $name, $ok ? "SUCCEEDED" : "blocked", $ok ? "" : $!), "\n";
}

sub contents {
  open(my $f, "<", $_[0]) or return 0;
  return <$f>;
}

attempt("read a file outside", sub { contents("$out/secret.txt") });
attempt("list a directory outside", sub { opendir(my $d, $out) });
attempt("overwrite a file outside", sub { open(my $f, "+<", "$out/target.txt") });
attempt("append to a file outside", sub { open(my $f, ">>", "$out/target.txt") });
attempt("truncate a file outside by its path", sub { truncate("$out/target.txt", 0) });
attempt("create a file outside", sub { open(my $f, ">", "$out/new.txt") });
attempt("make a directory outside", sub { mkdir("$out/newdir") });
attempt("delete a file outside", sub { unlink("$out/target.txt") });
attempt("rename a file outside", sub { rename("$out/target.txt", "$out/moved.txt") });
attempt("link a file from outside into the workspace", sub { link("$out/secret.txt", "hard-pl.txt") });
attempt("change the mode of a file outside", sub { chmod(0777, "$out/target.txt") });
attempt("change the owner of a file outside", sub { chown($<, $( + 0, "$out/target.txt") });
attempt("change the times of a file outside", sub { utime(1, 1, "$out/target.txt") });
symlink("$out/secret.txt", "soft-pl.txt");
attempt("read through a symbolic link that leaves the workspace", sub { contents("soft-pl.txt") });
attempt("read the environment of the server", sub { contents("/proc/$server/environ") });
attempt("open the memory of the server", sub { open(my $f, "<", "/proc/$server/mem") });
attempt("reach a descriptor of the server", sub { readlink("/proc/$server/fd/0") });
attempt("kill the server", sub { kill("KILL", $server) });
attempt("kill another process of the user", sub { kill("KILL", $victim) });
attempt("change the root directory", sub { chroot(".") });

sub tcp {
  socket(my $s, PF_INET, SOCK_STREAM, 0) or return 0;
  connect($s, sockaddr_in($ENV{V_TCP}, INADDR_LOOPBACK));
}
attempt("connect by TCP to a service of the host", \&tcp);
attempt("open a raw socket", sub { socket(my $s, PF_INET, SOCK_RAW, 1) });
attempt("connect to an abstract socket of the host", sub {
  socket(my $s, PF_UNIX, SOCK_STREAM, 0) or return 0;
  connect($s, pack_sockaddr_un("\0$ENV{V_ABSTRACT}"));
});
if (!$ENV{V_LOOPBACK}) {
  attempt("listen for TCP", sub {
    socket(my $s, PF_INET, SOCK_STREAM, 0) or return 0;
    bind($s, sockaddr_in(0, INADDR_LOOPBACK));
  });
  attempt("send a datagram to a service of the host", sub {
    socket(my $s, PF_INET, SOCK_DGRAM, 0) or return 0;
    send($s, "x", 0, sockaddr_in($ENV{V_UDP}, INADDR_LOOPBACK));
  });
  attempt("connect to a Unix socket by its path", sub {
    socket(my $s, PF_UNIX, SOCK_STREAM, 0) or return 0;
    connect($s, pack_sockaddr_un("$out/sock"));
  });
}
