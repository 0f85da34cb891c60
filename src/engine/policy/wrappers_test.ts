import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { literalWord, type ShellWord } from "./shell_reading.ts";
import { type Wrapped, wrappedCommands } from "./wrappers.ts";

function words(line: string): ShellWord[] {
  return line.split(" ").map(literalWord);
}

/** What the call would run: commands as they are, shell text in brackets. */
function runs(line: string): string {
  return wrapped(line).map((one) => {
    return one.kind === "command" ? one.words.map(({ value }) => value).join(" ") : `[${one.text.value}]`;
  }).join(" | ");
}

function wrapped(line: string): Wrapped[] {
  const [name, ...args] = words(line) as [ShellWord, ...ShellWord[]];
  return wrappedCommands(name.value, args);
}

/** Calls whose last words `rm d` are the command, with every option that takes a value. */
const PREFIXED = `
nice -n 5 rm d
nice --adjustment 5 rm d
ionice -c 2 -n 3 rm d
ionice --class 2 --classdata 3 rm d
chrt -T 5 10 rm d
taskset 0x3 rm d
nohup rm d
setsid rm d
time -f %e -o out rm d
time --format %e --output out rm d
gtime -f %e rm d
timeout -k 5 -s KILL 10 rm d
timeout --kill-after 5 --signal KILL 10 rm d
gtimeout -k 5 10 rm d
stdbuf -o L rm d
stdbuf --input 0 --output L --error 0 rm d
unbuffer rm d
exec -a name rm d
builtin rm d
xargs -n 1 -P 4 -I {} rm d
xargs --max-args 1 --max-procs 4 --delimiter , --arg-file f --max-lines 1 --max-chars 9 --replace {} rm d
parallel -j 4 rm d
parallel --jobs 4 --colsep , --arg-file f --delay 1 --timeout 9 --joblog l rm d
sudo -u root rm d
sudo --user u --group g --host h --prompt p --chdir / rm d
doas -u root rm d
pkexec --user root rm d
runuser -u root rm d
runuser --user root --group g rm d
chroot /jail rm d
setpriv --reuid 1 --regid 1 --groups 1 --inh-caps x --ambient-caps x --bounding-set x rm d
unshare rm d
nsenter -t 1 rm d
strace -e trace=file -o out rm d
ltrace -e malloc rm d
valgrind rm d
catchsegv rm d
faketime yesterday rm d
fakeroot -l lib rm d
proxychains -f conf rm d
busybox rm d
toybox rm d
winpty rm d
caffeinate -t 60 rm d
entr -s x rm d
pipenv run rm d
dotenv rm d
direnv exec . rm d
poetry run rm d
uv run --with x rm d
uv run -p 3.12 rm d
pdm run rm d
hatch run rm d
rye run rm d
conda run -n env rm d
bundle exec rm d
npm exec --package p rm d
npm exec -- rm d
npm x rm d
pnpm exec rm d
mise exec rm d
mise x rm d
asdf exec rm d
pyenv exec rm d
rbenv exec rm d
nvm exec rm d
volta run rm d
rustup run rm d
env rm d
env -u A -C / -a name rm d
env --unset A --chdir / --argv0 name rm d
env - A=1 rm d
env A=1 _B2=x rm d
nice A=1 rm d
command rm d
command -p rm d
fd -e ts -x rm d
fd --exec rm d
fd -X rm d
fdfind --exec-batch rm d
flock lock rm d
flock -w 5 -E 1 lock rm d
flock --timeout 5 --conflict-exit-code 1 lock rm d
git bisect run rm d
git --git-dir g --work-tree w --namespace n --super-prefix s --config-env c --attr-source a bisect run rm d
git -C d bisect run rm d
find . -exec rm d
find . -execdir rm d ;
find . -ok rm d +
find . -okdir rm d
`.trim().split("\n");

Deno.test("programs that run what follows their options and values are seen with the command", () => {
  deepStrictEqual(PREFIXED.filter((line) => runs(line) !== "rm d"), []);
});

/** Calls that run nothing. */
const NOTHING = `
nice
nice -n 5
nice -n 5 A=1
timeout 10
rm -rf d
constructor x
__proto__ x
env
env A=1
env -u A
command
command -v rm
command -V rm
find . -name x
find . -exec
find . -exec ;
fd x
fd -x
poetry
poetry run
poetry add rm
npm install rm
npm exec
flock lock
git
git status
git bisect start rm
git submodule update
git rebase main
git -c user.name=x status
git -c core.pagers=rm status
git -c x.core.pager=rm status
git -c alias.x=log x
git -c core.pager= status
git --config alias.x=!rm status
git -C core.pager=rm status
git -c alias.=!rm x
git -c pager.=rm log
git bisect run
su user x
su -c
su --lc=rm
su --shell=rm user
script out x
watch
watch -n 5
eval
su user
script -q out
nix-shell -p x
`.trim().split("\n");

Deno.test("programs without a command, or that only ask or install, run nothing", () => {
  deepStrictEqual(NOTHING.filter((line) => wrapped(line).length > 0), []);
});

/** Calls with the shell text they run. */
const SCRIPTS: readonly (readonly [line: string, runs: string])[] = [
  ["eval rm -rf d", "[rm -rf d]"],
  ["watch -n 5 rm d", "[rm d]"],
  ["watch --interval 5 rm d", "[rm d]"],
  ["hyperfine -w 3 a b", "[a] | [b]"],
  ["hyperfine --warmup 3 --runs 5 a b", "[a] | [b]"],
  ["concurrently a b", "[a] | [b]"],
  ["su -c rm user", "[rm]"],
  ["su --command rm user", "[rm]"],
  ["su -lc rm", "[rm]"],
  ["su --command=rm", "[rm]"],
  ["script -qc rm out", "[rm]"],
  ["flock lock -c rm", "[rm]"],
  ["nix-shell --run rm --command ls", "[rm] | [ls]"],
  ["nix-shell -run x", ""],
  ["trap rm EXIT INT", "[rm]"],
  ["trap - EXIT", ""],
  ["alias a=rm b=c=d e", "[rm] | [c=d] | [e]"],
  ["alias a=", ""],
  ["env -S rm d", "[rm d]"],
  ["env --split-string rm d", "[rm d]"],
  ["env -iS rm d", "[rm d]"],
  ["env -S a -S b c", "[a c]"],
  ["env -S a b c", "[a b c]"],
  ["env a-b=c x", "a-b=c x"],
  ["git -c alias.xy=!rm x", "[rm]"],
  ["find -exec a ;", "a"],
  ["find . -exec a x; y+ ;", "a x; y+"],
  ["find . -exec find -exec x ;", "find -exec x"],
  ["git -c alias.x=!rm x", "[rm]"],
  ["git -c alias.x=!rm", "[rm]"],
  ["git -c core.pager=rm log", "[rm]"],
  ["git -c core.pager=!rm log", "[rm]"],
  ["git -c Core.SSHCommand=rm fetch", "[rm]"],
  ["git -c core.editor=a -c core.askpass=b -c core.fsmonitor=c x", "[a] | [b] | [c]"],
  ["git -c sequence.editor=a -c diff.external=b x", "[a] | [b]"],
  ["git -c filter.x.clean=a -c diff.y.textconv=b -c merge.z.driver=c -c pager.log=d x", "[a] | [b] | [c] | [d]"],
  ["git submodule foreach rm d", "[rm d]"],
  ["git submodule foreach --recursive rm", "[rm]"],
  ["git submodule -q foreach rm", "[rm]"],
  ["git rebase -x rm main", "[rm]"],
  ["git rebase --exec rm main", "[rm]"],
  ["git filter-branch --tree-filter a --index-filter b --msg-filter c --env-filter d", "[a] | [b] | [c] | [d]"],
  ["find . -exec a ; -exec b + -ok c", "a | b | c"],
  ["find . -exec a ;x +y -z ; -name -exec", "a ;x +y -z"],
];

for (const [line, expected] of SCRIPTS) {
  Deno.test(`what a wrapper runs: ${line}`, () => {
    strictEqual(runs(line), expected);
  });
}

Deno.test("the text of a setting of git may have several lines", () => {
  const args = [literalWord("-c"), literalWord("core.pager=a\nrm d"), literalWord("log")];
  deepStrictEqual(wrappedCommands("git", args), [{ kind: "script", text: literalWord("a\nrm d") }]);
});
