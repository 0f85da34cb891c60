# Tries to leave the sandbox. One line per attempt: name, TAB, `blocked` or `SUCCEEDED`, TAB, reason.
attempt() {
  name=$1
  shift
  if reason=$("$@" 2>&1); then outcome=SUCCEEDED; else outcome=blocked; fi
  printf '%s\t%s\t%s\n' "$name" "$outcome" "$(printf %s "$reason" | tr '\n\t' '  ')"
}
overwrite() { (: 1<>"$1"); }
create() { (: >"$1"); }
append() { (echo evil >>"$1"); }
reads() { (cat <"$1"); }
in_bash() { bash -c "$1"; }

attempt "read a file outside" reads "$V_OUT/secret.txt"
attempt "list a directory outside" ls "$V_OUT"
attempt "overwrite a file outside" overwrite "$V_OUT/target.txt"
attempt "append to a file outside" append "$V_OUT/target.txt"
attempt "create a file outside" create "$V_OUT/new.txt"
attempt "make a directory outside" mkdir "$V_OUT/newdir"
attempt "make a FIFO outside" mkfifo "$V_OUT/fifo"
attempt "make a symbolic link outside" ln -s /etc/passwd "$V_OUT/planted"
attempt "delete a file outside" rm -f "$V_OUT/target.txt"
attempt "delete a directory outside" rmdir "$V_OUT/dir"
attempt "rename a file outside" mv "$V_OUT/target.txt" "$V_OUT/moved.txt"
attempt "move a file from outside into the workspace" mv "$V_OUT/target.txt" stolen-sh.txt
attempt "link a file from outside into the workspace" ln "$V_OUT/secret.txt" hard-sh.txt
attempt "change the mode of a file outside" chmod 777 "$V_OUT/target.txt"
attempt "change the times of a file outside" touch -d 1970-01-01 "$V_OUT/target.txt"
attempt "copy a file from outside" cp "$V_OUT/secret.txt" copy-sh.txt
attempt "execute a program outside" "$V_OUT/prog"
ln -s "$V_OUT/secret.txt" soft-sh.txt
attempt "read through a symbolic link that leaves the workspace" reads soft-sh.txt
attempt "enter a directory outside and read there" sh -c 'cd "$V_OUT" && cat secret.txt'
attempt "read the environment of the server" reads "/proc/$V_SERVER/environ"
attempt "read a file outside through the root of the server" reads "/proc/$V_SERVER/root$V_OUT/secret.txt"
attempt "reach a descriptor of the server" readlink "/proc/$V_SERVER/fd/0"
attempt "kill the server" kill -9 "$V_SERVER"
attempt "kill another process of the user" kill -9 "$V_VICTIM"
attempt "read the password hashes" reads /etc/shadow
attempt "write to the shared temporary directory" create /tmp/vise-attack
attempt "read the home directory of the user" ls /root /home
attempt "make a user namespace" unshare -U true
attempt "mount" mount -t tmpfs none .
attempt "raise the limit of core dumps" in_bash 'ulimit -c unlimited'
attempt "connect by TCP to a service of the host" in_bash "echo x >/dev/tcp/127.0.0.1/$V_TCP"
if [ "$V_LOOPBACK" != 1 ]; then
  attempt "send a datagram to a service of the host" in_bash "echo x >/dev/udp/127.0.0.1/$V_UDP"
fi
