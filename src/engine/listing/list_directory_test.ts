import assert from "node:assert/strict";
import fc from "fast-check";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { NO_OUTER_RULES } from "../search/ignore_rules.ts";
import { Workspace } from "../workspace/workspace.ts";
import { listDirectory, type ListOrder, type ListRequest } from "./list_directory.ts";

const DEFAULTS: ListRequest = {
  maxDepth: 20,
  maxEntries: 1_000,
  offset: 0,
  includeHidden: true,
  includeIgnored: true,
  sort: "name",
  outer: NO_OUTER_RULES,
  signal: new AbortController().signal,
};

Deno.test("pages of any size join to the whole listing, in every order, on generated trees", async () => {
  const name = fc.constantFrom("a", "b", "c.gen", ".h", "node_modules", "ü", "z z");
  const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/")), {
    maxLength: 14,
  });
  const sort = fc.constantFrom<ListOrder>("name", "type", "modified");
  await fc.assert(
    fc.asyncProperty(paths, sort, fc.integer({ min: 1, max: 7 }), fc.boolean(), async (files, order, size, all) => {
      using place = new TempWorkspace();
      for (const path of files) writeIfFree(place, path);
      place.write(".gitignore", "*.gen\n");
      const workspace = new Workspace(place.root);
      const request = { ...DEFAULTS, sort: order, includeHidden: all, includeIgnored: all };
      const whole = await listDirectory(workspace, ".", request);
      const joined: string[] = [];
      for (let offset = 0;; offset += size) {
        const page = await listDirectory(workspace, ".", { ...request, offset, maxEntries: size });
        assert.equal(page.isTruncated, offset + page.entries.length < whole.total);
        joined.push(...page.entries.map((entry) => entry.path));
        if (!page.isTruncated) break;
      }
      const expected = whole.entries.map((entry) => entry.path);
      assert.deepEqual(joined.toSorted(), expected.toSorted());
      if (order !== "name") assert.deepEqual(joined, expected);
      if (all) assert.deepEqual(expected.toSorted(), everythingBelow(place.root).toSorted());
      else assert.ok(expected.every((path) => !/(^|\/)(\.|node_modules|c\.gen)/.test(path)), expected.join());
      workspace.close();
    }),
    { numRuns: 60 },
  );
});

Deno.test("a cancelled listing of a large tree stops", async () => {
  const workspace = new Workspace("/usr");
  const controller = new AbortController();
  const listing = listDirectory(workspace, ".", { ...DEFAULTS, sort: "modified", signal: controller.signal });
  controller.abort(new Error("cancelled by the test"));
  await assert.rejects(listing, /cancelled by the test/);
  workspace.close();
});

function writeIfFree(place: TempWorkspace, path: string): void {
  try {
    place.write(path, path);
  } catch {
    // The name, or a part of it, was made as the other kind before.
  }
}

function everythingBelow(root: string, below = ""): string[] {
  return [...Deno.readDirSync(`${root}/${below}`)].flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory ? [path, ...everythingBelow(root, path)] : [path];
  });
}
