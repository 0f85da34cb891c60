/** Scripts that bring a repository into every state that git tells apart. */

import { NEW_REPOSITORY } from "./open_engine.ts";

/** One state and how to get there. */
export interface RepositoryState {
  readonly name: string;
  /** Run in the workspace, which is a repository with two commits unless `bare` says otherwise. */
  readonly script: string;
  /** Starts from an empty directory. */
  readonly fromNothing?: boolean;
  readonly inProgress?: string;
  /** Directory to open, relative to the workspace; `.` by default. */
  readonly open?: string;
  /** Revisions that git_show is asked for. */
  readonly show?: readonly string[];
}

/** The repository that most states start from. */
export const TWO_COMMITS = `${NEW_REPOSITORY}
mkdir -p src/deep; seq 1 30 > src/a.txt; printf 'b\\n' > src/deep/b.txt; printf 'c\\n' > c.txt; git add .; git commit -qm one
sed -i 's/^15$/fifteen/' src/a.txt; git commit -qam 'two

with a body'
`;
const CONFLICT =
  `git checkout -q -b side HEAD~1; sed -i 's/^15$/side/' src/a.txt; git commit -qam side; git checkout -q main\n`;

/** Every state; the names are those of the tests. */
export const STATES: readonly RepositoryState[] = [
  { name: "nothing changed", script: "" },
  {
    name: "changed, staged, deleted and new files",
    script:
      `echo x >> c.txt; git add c.txt; echo y >> c.txt; rm src/deep/b.txt; mkdir n; : > n/1; : > n/2; echo new > s; git add s`,
  },
  { name: "no commits yet", fromNothing: true, script: `${NEW_REPOSITORY} echo x > a; git add a; echo y >> a; : > b` },
  { name: "an empty repository", fromNothing: true, script: NEW_REPOSITORY },
  { name: "a detached head", script: "git checkout -q --detach HEAD~1; echo z >> c.txt" },
  {
    name: "a branch ahead of and behind its upstream",
    script: `git branch up HEAD~1; git checkout -q up; echo u > u; git add u; git commit -qm up; git checkout -q main
      git branch -q -u up`,
  },
  { name: "a branch whose upstream is gone", script: "git branch up; git branch -q -u up; git branch -D -q up" },
  { name: "a merge in progress", script: `${CONFLICT} git merge side >/dev/null || true`, inProgress: "merge" },
  { name: "a rebase in progress", script: `${CONFLICT} git rebase side >/dev/null 2>&1 || true`, inProgress: "rebase" },
  {
    name: "a rebase by patches in progress",
    script: `${CONFLICT} git rebase --apply side >/dev/null 2>&1 || true`,
    inProgress: "rebase",
  },
  {
    name: "an am in progress",
    script: `${CONFLICT} git format-patch -q -1 side --stdout > ../p; git am ../p >/dev/null 2>&1 || true`,
    inProgress: "am",
  },
  {
    name: "a cherry-pick in progress",
    script: `${CONFLICT} git cherry-pick side >/dev/null 2>&1 || true`,
    inProgress: "cherry-pick",
  },
  {
    name: "a revert in progress",
    script: `sed -i 's/fifteen/15th/' src/a.txt; git commit -qam three; git revert HEAD~1 >/dev/null 2>&1 || true`,
    inProgress: "revert",
  },
  {
    name: "a bisection in progress",
    script: `git bisect start -q HEAD HEAD~1 >/dev/null 2>&1 || git bisect start HEAD HEAD~1 >/dev/null`,
    inProgress: "bisect",
  },
  {
    name: "every kind of unmerged path",
    script: `for f in aa du ud dd; do echo $f > $f; done; git add du ud dd; git reset -q aa 2>/dev/null || true; rm aa
      git commit -qm base; git checkout -q -b side2; echo s > aa; echo s > du; git rm -q ud; git mv dd dd-side; git add .
      git commit -qm s; git checkout -q main; echo m > aa; git rm -q du; echo m > ud; git mv dd dd-main; git add .
      git commit -qm m; git merge side2 >/dev/null 2>&1 || true`,
    inProgress: "merge",
  },
  { name: "a linked worktree", script: "git worktree add -q tree -b other; echo w >> tree/c.txt", open: "tree" },
  {
    name: "submodules: clean, with another commit, modified and with new files",
    script: `for s in clean other dirty new both; do git -c protocol.file.allow=always clone -q . ../$s
      git -c protocol.file.allow=always submodule --quiet add "$PWD/../$s" $s; done; git commit -qm subs
      (cd other; git config user.email a@b; git config user.name A; git commit -q --allow-empty -m x)
      echo d >> dirty/c.txt; : > new/new
      (cd both; git config user.email a@b; git config user.name A; git commit -q --allow-empty -m x; echo d >> c.txt; : > n)`,
  },
  {
    name: "a submodule that is not checked out, and a nested repository",
    script:
      `git -c protocol.file.allow=always clone -q . ../sub; git -c protocol.file.allow=always submodule --quiet add "$PWD/../sub" sub
      git commit -qm sub; git submodule --quiet deinit -f sub; git -c protocol.file.allow=always clone -q ../sub nested`,
  },
  {
    name: "inside a submodule",
    script:
      `git -c protocol.file.allow=always clone -q . ../sub; git -c protocol.file.allow=always submodule --quiet add "$PWD/../sub" sub
      echo d >> sub/c.txt`,
    open: "sub",
  },
  {
    name: "a sparse checkout",
    script: "git sparse-checkout set --cone src/deep 2>/dev/null; echo x >> src/deep/b.txt",
  },
  {
    name: "a sparse checkout with a sparse index",
    script: "git sparse-checkout set --cone --sparse-index src/deep 2>/dev/null; echo x >> src/deep/b.txt",
  },
  {
    name: "a shallow clone",
    fromNothing: true,
    script: `(mkdir ../o; cd ../o; ${TWO_COMMITS}); git clone -q --depth 1 "file://$PWD/../o" .`,
  },
  {
    name: "a partial clone with all objects it needs",
    fromNothing: true,
    script: `(mkdir ../o; cd ../o; ${TWO_COMMITS} git config uploadpack.allowFilter true)
      git clone -q --filter=blob:limit=1m "file://$PWD/../o" .; echo p >> c.txt`,
  },
  {
    name: "objects named by SHA-256",
    fromNothing: true,
    script: `git init -q -b main --object-format=sha256; git config user.email a@b; git config user.name A
      echo x > a; git add .; git commit -qm one; echo y >> a; git commit -qam two; echo z >> a; echo n > n`,
  },
  {
    name: "pointers of large files whose content was never fetched",
    script: `printf '*.big filter=lfs diff=lfs merge=lfs -text\\n' > .gitattributes
      printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 5\\n' 7 > x.big; git add .; git commit -qm lfs
      echo changed >> c.txt`,
  },
  {
    name: "a rename",
    script: "git mv src/a.txt moved.txt; sed -i 's/^3$/three/' moved.txt; git add moved.txt",
    show: ["HEAD"],
  },
  { name: "a rename that is committed", script: "git mv src/a.txt moved.txt; git commit -qm move" },
  { name: "a copy", script: "cp src/a.txt copy.txt; echo x >> src/a.txt; git add ." },
  {
    name: "a file that became a link and a link that became a file",
    script: `ln -s c.txt l; git add l; git commit -qm l
      rm c.txt; ln -s src c.txt; rm l; echo file > l`,
  },
  { name: "a file that became a directory", script: "rm c.txt; mkdir c.txt; echo x > c.txt/in" },
  { name: "files announced but not added", script: "echo n > n; git add -N n; : > e; git add -N e; echo other > o" },
  {
    name: "names with spaces, quotes, line breaks and other languages",
    script: `for n in 'a b' ' lead' 'trail ' 'q"uote' "l
f" 't	ab' 'back\\slash' 'äö' '日本' '-dash' ':(top)x' 'x -> y' '\\x41'; do echo "$n" > "$n"; done; git add .; git commit -qm names
      for n in 'a b' 'q"uote' "l
f" 't	ab' 'äö' '日本' 'back\\slash' '-dash'; do echo more >> "./$n"; done; echo u > 'new file'; echo u > "n
l"`,
  },
  {
    name: "names that are not UTF-8",
    script: `printf x > "$(printf 'lat\\351in')"; git add .; git commit -qm bytes; printf y > "$(printf 'lat\\351in')"
      printf z > "$(printf 'n\\377w')"`,
  },
  {
    name: "CRLF lines under autocrlf",
    script: `git config core.autocrlf true; printf 'a\\r\\nb\\r\\n' > crlf.txt; git add . 2>/dev/null
      git commit -qm crlf; printf 'a\\r\\nc\\r\\n' > crlf.txt; printf 'mixed\\r\\nx\\n' > m.txt`,
  },
  {
    name: "CRLF lines kept as they are",
    script: `printf 'a\\r\\nb\\r\\n' > crlf.txt; git add .; git commit -qm crlf
      printf 'a\\r\\nc\\r\\nd' > crlf.txt`,
  },
  {
    name: "line ends by attributes",
    script: `printf '* text=auto\\n*.txt eol=crlf\\n' > .gitattributes; git add . 2>/dev/null; git commit -qm attr
      git add --renormalize . 2>/dev/null; echo x >> c.txt`,
  },
  { name: "empty files", script: ": > e; git add e; git commit -qm e; echo x > e; : > c.txt; : > f" },
  {
    name: "binary files",
    script: `printf 'a\\000b' > b; git add b; git commit -qm b; printf 'a\\000c' > b; printf '\\000' > n`,
  },
  { name: "nothing but other modes", script: "chmod +x c.txt; git add c.txt; chmod +x src/a.txt" },
  { name: "modes that do not count", script: "git config core.fileMode false; chmod +x c.txt" },
  {
    name: "a merge commit",
    script:
      `git checkout -q -b s HEAD~1; echo s > s; git add s; git commit -qm s; git checkout -q main; git merge -q -m merge s`,
    show: ["HEAD", "HEAD^2"],
  },
  {
    name: "an octopus merge",
    script:
      `for b in x y z; do git checkout -q -b $b HEAD~1 2>/dev/null || git checkout -q -b $b main~1; echo $b > $b; git add $b
      git commit -qm $b; git checkout -q main; done; git merge -q -m octopus x y z >/dev/null`,
    show: ["HEAD"],
  },
  { name: "tags", script: "git tag light; git tag -a full -m words; git tag -a nested full -m more", show: ["light"] },
  { name: "grafts", script: `echo "$(git rev-parse HEAD)" > .git/info/grafts` },
  { name: "replaced objects", script: `git replace HEAD $(echo replaced | git commit-tree HEAD^{tree})` },
  { name: "notes", script: "git notes add -m 'a note'; git notes --ref=other add -m hidden" },
  {
    name: "commits in other encodings",
    script: `git config i18n.commitEncoding ISO-8859-1; printf 'gr\\374n\\n\\nk\\344se\\n' > ../m; echo x >> c.txt
      GIT_AUTHOR_NAME="$(printf 'J\\366rg')" git commit -qa -F ../m`,
  },
  {
    name: "entries that are assumed unchanged",
    script: `git update-index --assume-unchanged c.txt; echo x >> c.txt
      git update-index --skip-worktree src/a.txt; rm src/a.txt`,
  },
  { name: "a split index", script: "git update-index --split-index; echo x >> c.txt; git add c.txt; echo y > y" },
  {
    name: "an index of version 4 with untracked cache",
    script: `git update-index --index-version 4
      git update-index --force-untracked-cache; : > u; git status >/dev/null; echo x >> c.txt`,
  },
  {
    name: "packed objects and branches with a commit graph",
    script: "git gc -q; git commit-graph write --reachable; echo x >> c.txt",
  },
  { name: "ignored files", script: `printf '*.log\\nout/\\n' > .gitignore; mkdir out; : > out/x; : > a.log; : > b` },
  {
    name: "a directory of its own for git",
    fromNothing: true,
    script: `git init -q --separate-git-dir=.real -b main
      git config user.email a@b; git config user.name A; echo x > a; git add a; git commit -qm one; echo y >> a`,
  },
];
