/** The text only: it was never run on macOS. */

import assert from "node:assert/strict";
import { seatbeltProfile } from "./seatbelt_profile.ts";

const RULES = [
  { path: '/work/my "tree"', access: "write", required: true },
  { path: "/usr", access: "execute", required: false },
  { path: "/dev/null", access: "device", required: false },
] as const;

Deno.test("the profile denies by default and allows exactly the rules, with paths quoted", () => {
  const lines = seatbeltProfile({ rules: RULES, network: "none" }).split("\n");
  assert.deepEqual(lines.slice(0, 2), ["(version 1)", "(deny default)"]);
  assert.ok(lines.includes('(allow file* (subpath "/work/my \\"tree\\""))'));
  assert.ok(lines.includes('(allow file-read* (subpath "/usr"))'));
  assert.ok(lines.some((line) => line.includes('(literal "/dev/null")') && line.includes("file-write*")));
  assert.ok(!lines.some((line) => line.includes('file-write* (subpath "/usr")')));
});

Deno.test("the profile opens the network as far as the plan says", () => {
  const text = (network: "none" | "loopback" | "open") => seatbeltProfile({ rules: RULES, network });
  assert.ok(!text("none").includes("network"));
  assert.ok(text("loopback").includes('(remote ip "localhost:*")'));
  assert.ok(!text("loopback").includes("(allow network*)"));
  assert.ok(text("open").includes("(allow network*)"));
});

Deno.test("the profile has balanced parentheses outside strings", () => {
  const text = seatbeltProfile({ rules: RULES, network: "loopback" }).replace(/"(?:\\.|[^"\\])*"/g, "");
  assert.equal(text.split("(").length, text.split(")").length);
});
