/** `docs/coverage.md`: the figures of one run, what they count and what they do not. */

import type { FileLines } from "./lcov.ts";

const HEAD = `# Coverage

Written by \`deno task coverage --write\`; do not edit. The run takes all tests, so it needs what \`.ci/run\` installs. It also
shows the files with the most unreached lines; \`--unreached src/engine/patch\` names the lines. With \`--floor 90\` it fails
when a room of the engine, the catalog or the protocol reaches less, or when a test fails; the workflow \`ci\` runs it so.

## What counts

Lines with code that V8 saw running, in the test process and in every server that a test starts. A file that no test
loads counts with all its lines; one that holds only types has none.

Not counted, so that the true figures are somewhat higher:

- a server that is killed by SIGKILL, as the tests of crashes do: it writes no profile
- a server that runs as another user from one bundled file, and the executable
- the image decoder, which is confined and may write no file; its code counts where a test calls it directly
- code for macOS and Windows, on Linux: it stays in the totals as unreached
- what root is never refused, where the tests run as root
`;

/** The page with one row for each room. */
export function coveragePage(rooms: readonly FileLines[], now: Date): string {
  const rows = rooms.map(({ path, found, hit }) => `| \`${path}\` | ${found} | ${hit} | ${percent(found, hit)} |`);
  const found = rooms.reduce((sum, room) => sum + room.found, 0);
  const hit = rooms.reduce((sum, room) => sum + room.hit, 0);
  return [
    HEAD,
    "## Figures\n",
    `${now.toISOString().slice(0, 10)}, ${Deno.build.os} ${Deno.build.arch}, deno ${Deno.version.deno}\n`,
    "| Room | Lines | Reached | % |",
    "| --- | ---: | ---: | ---: |",
    ...rows,
    `| all | ${found} | ${hit} | ${percent(found, hit)} |`,
    "",
  ].join("\n");
}

function percent(found: number, hit: number): string {
  return found === 0 ? "" : (100 * hit / found).toFixed(1);
}
