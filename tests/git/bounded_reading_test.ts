/** Answers of git that are far larger than any result, and calls that nobody waits for any more. */

import { ok, rejects, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { GitCalls, NEW_REPOSITORY } from "./open_engine.ts";

/** A commit of a file of 96 MB that compresses to nearly nothing, without writing it to disk. */
const HUGE_COMMIT =
  `${NEW_REPOSITORY} { printf 'blob\\nmark :1\\ndata 100663296\\n'; yes 'a line of text.' | head -c 100663296
  printf '\\nblob\\nmark :2\\ndata 2\\nx\\n\\ncommit refs/heads/main\\ncommitter A <a@b> 1 +0000\\ndata 1\\nm\\nM 644 :1 big\\nM 644 :2 z\\n'; } |
  git -c core.bigFileThreshold=2g fast-import --quiet\n`;

Deno.test("a commit with a difference of 102 MB is cut without being read whole", async () => {
  using ws = new TempWorkspace();
  ws.sh(HUGE_COMMIT);
  const git = new GitCalls(ws.root, { deadlineMs: 60_000 });
  const show = await git.show({ maxBytes: 10_000 });
  strictEqual(show?.truncatedBy, "bytes");
  ok((show?.bytes ?? 0) <= 10_000);
  strictEqual(show?.files.map((file) => file.path).join(), "big,z");
  // Reading stopped inside the first file, so the second has no counts.
  strictEqual(show?.files[1]?.additions, undefined);
  const blob = await git.show({ revision: "HEAD:big", maxBytes: 10_000 });
  ok(blob?.truncatedBy !== "" && (blob?.bytes ?? 0) <= 10_000);
});

Deno.test("a cancelled call ends git and rejects with the reason", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one; rm .git/HEAD; mkfifo .git/HEAD`);
  const control = new AbortController();
  const waiting = new GitCalls(ws.root).log({ signal: control.signal });
  setTimeout(() => control.abort(new Error("nobody waits")), 100);
  await rejects(waiting, /nobody waits/);
  const left = new Deno.Command("sh", { args: ["-c", `grep -l ${ws.root} /proc/[0-9]*/environ 2>/dev/null | wc -l`] })
    .outputSync();
  strictEqual(new TextDecoder().decode(left.stdout).trim(), "0");
});

Deno.test("a note of NULs, a subject and a line of many megabytes neither stop the server nor fill the answer", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} { printf ':100644\\0%.0s' 1 2 3; head -c 20000000 /dev/zero; } > ../note
    head -c 40000000 /dev/zero | tr '\\0' x > wide.txt; printf '\\nend\\n' >> wide.txt; git add .
    head -c 20000000 /dev/zero | tr '\\0' s > ../subject; git commit -qF ../subject; git notes add -F ../note --allow-empty
    git update-ref refs/notes/commits $(git commit-tree -m n $(printf '100644 blob %s\\t%s\\n' \
      $(git hash-object -w ../note) $(git rev-parse HEAD) | git mktree))`);
  const git = new GitCalls(ws.root, { deadlineMs: 60_000 });
  const show = await git.show({ maxBytes: 10_000 });
  ok((show?.bytes ?? 0) <= 10_000);
  const log = await git.log();
  ok(JSON.stringify(log).length < 10_000);
  const blame = await git.blame("wide.txt");
  ok(blame !== null);
});
