/** Repositories after random work, compared with git itself. */

import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { compareBlame, compareDiff, compareLog, compareShow, compareStatus, PlainGit } from "./compare_with_git.ts";
import { GitCalls, NEW_REPOSITORY } from "./open_engine.ts";

const RUNS = 25;
/** Always the same repositories, so that a change of the code is what makes this fail. */
const SEED = 20_261_130;

const name = fc.constantFrom(
  "a.txt",
  "b b.txt",
  "c/d.txt",
  "c/e/f.txt",
  'q"u.txt',
  "ä.txt",
  "tab\tx.txt",
  "back\\x41.txt",
  "-x.txt",
);
const line = fc.constantFrom(
  "one",
  "two",
  "",
  "diff --git a/x b/x",
  "--- a",
  "+++ b",
  "@@ -1 +1 @@",
  "Binary files a and b differ",
  "\r",
  "ü",
);
const content = fc.tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom("", "\n", "\0"))
  .map(([lines, end]) => lines.join("\n") + end);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("write" as const), name, content }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("shell" as const),
      name,
      script: fc.constantFrom(
        'rm -f -- "$F"',
        "git add -A",
        'git add -A; git commit -q --allow-empty -m "a commit"',
        'test ! -f "$F" || chmod +x -- "$F"',
        'test ! -f "$F" || git mv -f -- "$F" moved.txt || true',
        'rm -f -- "$F"; ln -s target -- "$F" || true',
        'git rm -q --cached -- "$F" || true',
        'git add -N -- "$F" || true',
        'git checkout -q -b "b$RANDOM$$" || true',
      ),
    }),
  },
);

Deno.test("after any sequence of changes every git tool agrees with git itself", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      using ws = new TempWorkspace();
      ws.sh(`${NEW_REPOSITORY} mkdir -p c/e; printf 'first\\n' > first.txt; git add .; git commit -qm first`);
      for (const one of steps) {
        if (one.kind === "write") {
          try {
            writeFileSync(ws.path(one.name), one.content);
          } catch {
            // A link to nowhere or a removed directory stands in the way; the next step goes on from there.
          }
        } else {
          ws.sh(`mkdir -p c/e; F='${one.name}'; { ${one.script}; } 2>/dev/null`);
        }
      }
      const git = new GitCalls(ws.root);
      const peer = new PlainGit(ws.root, ws.parent);
      await compareStatus(git, peer);
      await compareDiff(git, peer);
      await compareLog(git, peer);
      await compareShow(git, peer, "HEAD");
      await compareBlame(git, peer);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
