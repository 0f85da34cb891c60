import { deepStrictEqual } from "node:assert/strict";
import { directoryOf, nameOf, pathIn } from "./tree_path.ts";

Deno.test("a path is put together again from its directory and its name, at the top and below", () => {
  for (const path of ["a.txt", "src/a.txt", "src/deep/.hidden", "src/back\\slash"]) {
    deepStrictEqual(pathIn(directoryOf(path), nameOf(path)), path);
  }
  deepStrictEqual([directoryOf("a.txt"), nameOf("a.txt")], [".", "a.txt"]);
  deepStrictEqual([directoryOf("src/deep/a.txt"), nameOf("src/deep/a.txt")], ["src/deep", "a.txt"]);
});
