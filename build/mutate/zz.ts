// room, txt -> json of outcomes
import { ROOMS } from "./rooms.ts";
import { mutantsOf } from "./mutants_of.ts";
const [room, txt, out] = Deno.args as [string, string, string];
const lines = (await Deno.readTextFile(txt)).split("\n");
const left = new Map<string, string[]>();
lines.forEach((l, i) => {
  const m = /^(survived|unreached): (\S+?):(\d+): (.*)$/.exec(l);
  if (m) { const k = [m[2], m[3], m[4], lines[i + 1]!.trim()].join("\0"); left.set(k, [...left.get(k) ?? [], m[1]!]); }
});
let id = 0;
const outcomes = [];
let used = 0;
for (const f of ROOMS[room]!.files) {
  for (const mutant of mutantsOf(f, await Deno.readTextFile(f), id)) {
    id = mutant.id + 1;
    const v = left.get([mutant.file, mutant.line, mutant.change, mutant.code].join("\0"))?.shift();
    if (v) used++;
    outcomes.push({ room, mutant, verdict: v ?? "killed", by: null });
  }
}
console.log(room, outcomes.length, left.size, used);
await Deno.writeTextFile(out, JSON.stringify(outcomes));
