import { strictEqual } from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { resolveOutside } from "./resolve_outside.ts";

Deno.test("resolveOutside() follows links of the user and none that leads through the workspace", () => {
  using place = new TempWorkspace();
  const { root, parent } = place;
  place.sh("mkdir ../tools ../tools/bin; ln -s tools/bin ../short; ln -s ../tools back; ln -s work/back ../through");
  const follow = (path: string) => resolveOutside(join(parent, path), root);
  strictEqual(follow("tools/bin"), join(parent, "tools/bin"));
  strictEqual(follow("short"), join(parent, "tools/bin"));
  strictEqual(resolveOutside(`${parent}/short/.././bin`, root), join(parent, "tools/bin"));
  strictEqual(follow("none"), null);
  for (const path of ["work", "work/back", "through", "through/bin"]) strictEqual(follow(path), null, path);
  strictEqual(resolveOutside("", root), null);
});

Deno.test("resolveOutside() gives up on links without end", () => {
  using place = new TempWorkspace();
  symlinkSync("loop", join(place.parent, "loop"));
  strictEqual(resolveOutside(join(place.parent, "loop"), place.root), null);
  const chain = (length: number) => {
    for (let i = 0; i < length; i++) symlinkSync(`l${length}-${i + 1}`, join(place.parent, `l${length}-${i}`));
    place.sh(`: > ../l${length}-${length}`);
    return resolveOutside(join(place.parent, `l${length}-0`), place.root);
  };
  strictEqual(chain(40), join(place.parent, "l40-40"));
  strictEqual(chain(41), null);
});
