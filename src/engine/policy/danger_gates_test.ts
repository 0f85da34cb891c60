import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { isDestructive, mayUseNetwork, removesAbsolutePath, wantsNetwork } from "./danger_gates.ts";
import { readShell } from "./read_shell.ts";

function those(lines: string, holds: (line: string) => boolean): string[] {
  return lines.trim().split("\n").filter(holds);
}

const none = (lines: string, holds: (line: string) => boolean) => deepStrictEqual(those(lines, holds), []);
const all = (lines: string, holds: (line: string) => boolean) => none(lines, (line) => !holds(line));

Deno.test("recursive and forced removal, whole trees, lost work and other users are destructive", () => {
  all(
    `
sudo ls
su
doas ls
pkexec ls
runuser ls
mount x
umount x
mkswap x
wipefs x
blkdiscard x
fdisk x
sfdisk x
parted x
shutdown
reboot
halt
poweroff
mkfs x
mkfs.ext4 x
rm -rf d
rm -f -r d
rm -R -f d
rm -F -R d
rm --recursive --force d
rm --rec --fo d
rm --r --f -r -f d
$X -rf d
chmod -R 7 d
chown -R a d
chgrp -R a d
chmod --recursive 7 d
find . -delete
find . -DELETE
git reset --hard
git reset --ha
git reset -q --hard
git reset -e --hard
git -C d reset --hard
git clean -f
git clean -x
git clean -X
git clean -dfx
git clean --force
git clean --fo
git clean -d -f
dd if=x of=/dev/sda
dd of=/dev/nullx
dd of=/dev/zero1
dd of=/dev/fullx
dd of=/dev/stdoutx
dd of=/dev/stderrx
dd of=/dev/ttyS0
`,
    (line) => isDestructive(readShell(line)),
  );
});

Deno.test("what looks like it but destroys nothing is not destructive", () => {
  none(
    `
xmkfs x
mkfsx x
rm -r d
rm -f d
rm --recursive d
rm --force d
rm --r --f d
rm -r -- -f
rm x
chmod 7 -- -R
chmod -r d
chmod --recurs d
find . -deleted
git reset --soft
git reset --h
git reset hard
git reset --hards
git stash --hard
git clean
git clean -n
git clean -e f
git clean -ef
git clean --exclude=f
git status -f
git clean --f
git
dd of=/dev/null
dd of=/dev/zero
dd of=/dev/full
dd of=/dev/stdout
dd of=/dev/stderr
dd of=/dev/tty
dd of=/tmp/x
dd if=of=/dev/sda
echo rm -rf d
ls -rf
true
`,
    (line) => isDestructive(readShell(line)),
  );
});

Deno.test("a forced or recursive removal of an absolute path is one", () => {
  all(
    `
rm -f /x
rm -r /x
rm -F /x
rm -R /x
rm -v -f a /x b
$X -f /x
true; rm -f /x
`,
    (line) => removesAbsolutePath(readShell(line)),
  );
  none(
    `
rm /x
rm -v /x
rm -f x/
rm -f x/y
rm --force /x
ls -f /x
true
`,
    (line) => removesAbsolutePath(readShell(line)),
  );
});

const NETWORK_PROGRAMS = "curl wget nc netcat ncat ssh scp sftp ftp lftp telnet socat aria2c wget2 xh".split(" ");

Deno.test("programs of the network, addresses and code with signs of it look for a network", () => {
  all(NETWORK_PROGRAMS.join("\n"), (line) => wantsNetwork(readShell(line), "none"));
  all(
    `
foo http://x
foo HTTPS://x
foo --url=https://x
git clone https://x/y
git fetch https://x
git pull https://x
git push https://x
git ls-remote https://x
git submodule add https://x
git archive --remote https://x
git -C d clone https://x
python -c 'get("http://x")'
python -c 'get("https://x")'
python -c 'run("curl x")'
python -c 'run("WGET x")'
python -c 'netcat'
python -c 'HTTPConnection()'
python -c 'HTTPSConnection()'
python -c 'urllib.request'
python -c 'urllib3'
python -c 'requests.get'
python -c 'http.client'
python -c 'socket.socket'
python -c 'aiohttp'
python -c 'httpx'
`,
    (line) => wantsNetwork(readShell(line), "none"),
  );
  none(
    `
ls
foo x.com
git commit -m https://x
git
git fetch
git -c a=http://x
python -c 'curling wgets xcurl'
python -c 'requests'
python -c 'myrequests.x'
python -c 'sockets'
python -c 'websocket.x'
python -c 'HTTPConnections'
`,
    (line) => wantsNetwork(readShell(line), "none"),
  );
  const printers = "echo printf grep egrep fgrep rg cat head tail wc sed awk true :".split(" ");
  none(printers.map((name) => `${name} http://x`).join("\n"), (line) => wantsNetwork(readShell(line), "none"));
});

Deno.test("with an open network nothing has to look for one", () => {
  none("curl x\nfoo http://x", (line) => wantsNetwork(readShell(line), "open"));
});

Deno.test("with a loopback network addresses of the machine itself pass", () => {
  none(
    `
curl localhost
curl http://LOCALHOST:80/x
curl https://127.0.0.1/x
curl 127.10.20.30
curl http://[::1]:80
curl 0.0.0.0:80?q
curl localhost#x
curl http://user@localhost
curl http://user:pass@localhost:8080/
curl http://u:@localhost
foo http://localhost
foo x.com
nc localhost 80
nc -l 80
nc x 80
socat x y
curl --version
curl -s -v
python -c 'httpx'
`,
    (line) => wantsNetwork(readShell(line), "loopback"),
  );
  all(
    `
curl example.com
curl EXAMPLE.COM
curl a-b.c_d.example.org:80/x
curl example.com:8
curl example.com/x
curl http://example.com
curl http://localhost.example.com
curl localhost.example.com
curl http://x@example.com
curl http://127.0.0.1.example.com
curl http://127.0.0
curl http://127.0.0.
curl http://localhost:x@example.com
curl http://localhost http://example.com
curl http://localhost example.com
curl http://a:b/@localhost
curl http://@localhost
curl http://localhost:
curl http://-x@example.com
curl x
curl -s x
curl x-
ssh host
foo http://example.com
foo http://localhost http://example.com
git clone https://example.com/x
nc example.com 80
`,
    (line) => wantsNetwork(readShell(line), "loopback"),
  );
});

Deno.test("words of a network program are hosts only when they look like one", () => {
  const named = (word: string) => wantsNetwork(readShell(`nc ${word}`), "loopback");
  deepStrictEqual(
    [
      "x.com",
      "x.com:80",
      "x.com/y",
      "a.b.cd",
      "-x.com",
      "x",
      "x.c",
      "x.1a",
      ".com",
      "x.com:",
      "x.com:8x",
      "x.comé",
      "é.x.com",
      "x.c0m",
      "X.COM",
    ]
      .map(named),
    [true, true, true, true, false, false, false, false, false, false, false, false, false, false, true],
  );
});

Deno.test("programs that usually reach out may use a network without saying so", () => {
  const often =
    "npm npx pnpm yarn bun deno pip pip3 pipx uv poetry cargo go gem bundle composer mvn gradle gradlew mvnw " +
    "dotnet apt apt-get brew git gh docker podman kubectl helm terraform aws gcloud az rsync psql mysql redis-cli mongosh " +
    "ping dig host nslookup";
  all(often.split(" ").join("\n"), (line) => mayUseNetwork(readShell(line)));
  all("true; npm ci\ncurl x\nfoo http://x", (line) => mayUseNetwork(readShell(line)));
  none("xnpm\nnpms\nls\necho git", (line) => mayUseNetwork(readShell(line)));
  strictEqual(mayUseNetwork(readShell("")), false);
  strictEqual(mayUseNetwork(readShell("python -c 'httpx'")), true);
  strictEqual(wantsNetwork(readShell("python <<E\nget('http://x')\nE"), "none"), true);
});
