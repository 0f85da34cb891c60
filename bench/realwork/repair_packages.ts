/**
 * `deno task realwork [--seed N] [--only NAME]`: repairs real packages of the npm registry through Vise.
 *
 * Each package is unpacked, made a git repository, and given one fault that its own tests notice. A scripted client then
 * runs the tests, searches, reads, patches, runs the tests again and compares with what was published. Needs node, npm
 * and the registry. Ends with 1 when any package was not repaired.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGES, type RealPackage } from "./packages.ts";
import { type Cost, repairFault } from "./repair_fault.ts";
import { type Fault, seedFault } from "./seed_fault.ts";
import { confirmPublished, unpackPackage } from "./unpack_package.ts";

const { values } = parseArgs({ options: { seed: { type: "string", default: "1" }, only: { type: "string" } } });
const chosen = PACKAGES.filter(({ name }) => values.only === undefined || name === values.only);
const rows: string[][] = [];
const faults: string[] = [];
for (const one of chosen) {
  try {
    const { fault, cost } = await breakAndRepair(one);
    rows.push(rowOf(one, cost));
    const { file, line, original, broken, unnoticed } = fault;
    const others = unnoticed === 0 ? "" : `; ${unnoticed} earlier faults no test noticed`;
    faults.push(`${one.name}, ${file}:${line}${others}\n  - ${original.trim()}\n  + ${broken.trim()}`);
  } catch (fault) {
    console.error(`${one.name} was not repaired: ${fault instanceof Error ? fault.message : fault}`);
  }
}
const heads = ["package", "style", "calls", "bytes", "tokens", "ms", "of it tests", "ms besides"];
console.log(faults.join("\n") + "\n");
for (const row of [heads, ["---", "---", "--:", "--:", "--:", "--:", "--:", "--:"], ...rows]) {
  console.log(`| ${row.join(" | ")} |`);
}
console.log(`\n${rows.length} of ${chosen.length} repaired`);
Deno.exit(rows.length === chosen.length && chosen.length > 0 ? 0 : 1);

async function breakAndRepair(one: RealPackage): Promise<{ fault: Fault; cost: Cost }> {
  const place = mkdtempSync(join(tmpdir(), "vise-realwork-"));
  try {
    const root = unpackPackage(one, place);
    const fault = seedFault(one, { root, seed: Number(values.seed) });
    const cost = await repairFault(fault, { root, test: one.test });
    confirmPublished(root);
    return { fault, cost };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function rowOf({ name, version, style }: RealPackage, { calls, bytes, tokens, elapsedMs, testsMs }: Cost): string[] {
  const figures = [calls, bytes, tokens, elapsedMs, testsMs, elapsedMs - testsMs];
  return [`${name} ${version}`, style, ...figures.map((figure) => Math.round(figure).toLocaleString("en-US"))];
}
