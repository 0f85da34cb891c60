import { strictEqual } from "node:assert/strict";
import { nearestName } from "./nearest_name.ts";

Deno.test("nearestName() finds the name with the fewest different letters, whatever their case", () => {
  strictEqual(nearestName("Read-File", ["read_file", "list_dir"]), "read_file");
  strictEqual(nearestName("serach_text", ["search_text", "list_dir"]), "search_text");
  strictEqual(nearestName("cm", ["cmd", "env"]), "cmd");
  strictEqual(nearestName("日本語.txt", ["日本诶.txt", "other.txt"]), "日本诶.txt");
});

Deno.test("nearestName() names nothing that has less than half in common", () => {
  strictEqual(nearestName("1", ["n", "ln"]), null);
  strictEqual(nearestName(" ", ["n"]), null);
  strictEqual(nearestName("\\x", ["ln"]), null);
  strictEqual(nearestName("日本", ["x", "中国"]), null);
  strictEqual(nearestName("nope", ["read_file"]), null);
});
