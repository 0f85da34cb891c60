import assert from "node:assert/strict";
import fc from "fast-check";
import { ToolError } from "../../base/tool_error.ts";
import { openTree } from "../../platform/tree.ts";
import { LinkedPlace } from "../../../tests/support/linked_place.ts";

Deno.test("no spelling and no arrangement of links resolves to a place outside the root", () => {
  using place = new LinkedPlace(openTree);
  Deno.mkdirSync(`${place.parent}/other`);
  Deno.writeTextFileSync(`${place.parent}/other/x`, "secret");
  place.write("a/b/x", "in");
  const component = fc.constantFrom("a", "b", "x", "l0", "l1", "l2", "..", ".", "", "other", place.name);
  const path = fc.array(component, { minLength: 1, maxLength: 6 }).map((names) => names.join("/"));
  const target = fc.oneof(path, path.map((p) => `${place.root}/${p}`), path.map((p) => `../other/${p}`));
  fc.assert(
    fc.property(fc.array(target, { minLength: 3, maxLength: 3 }), path, (targets, spelled) => {
      targets.forEach((text, index) => place.relink(index === 2 ? "a/l2" : `l${index}`, text || "."));
      const real = realOrNull(`${place.root}/${spelled}`);
      try {
        const resolved = place.workspace.resolveExisting(spelled);
        // A trailing slash behind a file is no place for the kernel and the file itself here.
        if (real !== null) assert.equal(resolved.absolute, real);
        assert.ok(resolved.absolute === place.root || resolved.absolute.startsWith(`${place.root}/`));
      } catch (fault) {
        assert.ok(fault instanceof ToolError, String(fault));
        const isInside = real !== null && (real === place.root || real.startsWith(`${place.root}/`));
        const isRefusedSpelling = spelled === "" || spelled.startsWith("/") || spelled.split("/").includes("..");
        assert.ok(!isInside || isRefusedSpelling, `${spelled} → ${real} was refused: ${fault.message}`);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("no write target goes through a link or outside the root, whatever the links", () => {
  using place = new LinkedPlace(openTree);
  Deno.mkdirSync(`${place.parent}/other`);
  place.write("a/b/x", "in");
  const component = fc.constantFrom("a", "b", "x", "new", "l0", "l1", "l2", "..", "other", place.name);
  const path = fc.array(component, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
  const target = fc.oneof(path, path.map((p) => `${place.root}/${p}`), path.map((p) => `../other/${p}`));
  fc.assert(
    fc.property(fc.array(target, { minLength: 3, maxLength: 3 }), path, (targets, spelled) => {
      targets.forEach((text, index) => place.relink(index === 2 ? "a/l2" : `l${index}`, text));
      let resolved;
      try {
        resolved = place.workspace.resolveTarget(spelled);
      } catch (fault) {
        assert.ok(fault instanceof ToolError, String(fault));
        return;
      }
      assert.ok(resolved.absolute.startsWith(`${place.root}/`), resolved.absolute);
      assert.equal(resolved.absolute, `${place.root}/${resolved.path}`);
      for (let at = resolved.path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
        assert.equal(isLink(`${place.root}/${at}`), false, at);
      }
    }),
    { numRuns: 300 },
  );
});

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    // Not there: no link.
    return false;
  }
}

function realOrNull(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    return null;
  }
}
