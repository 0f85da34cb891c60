/** Prints what became of the mutants, and compares the survivors with the explained ones. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../../tests/support/server_command.ts";
import { EXPLAINED } from "./explained.ts";
import type { Mutant } from "./mutant.ts";
import type { Outcome } from "./run_all.ts";

const PAGE = join(REPOSITORY, "docs", "mutation.md");

/** Returns true when every survivor is explained and every explanation needed. */
export function summarize(outcomes: readonly Outcome[], options: { write: boolean }): boolean {
  const survivors = outcomes.filter(({ verdict }) => verdict === "survived" || verdict === "unreached");
  const unexplained = survivors.filter(({ mutant }) => !isExplained(mutant));
  for (const { mutant, verdict } of unexplained) {
    console.log(`${verdict}: ${mutant.file}:${mutant.line}: ${mutant.change}\n    ${mutant.code}`);
  }
  for (const { mutant, verdict } of outcomes) {
    if (verdict === "hung") console.error(`hung: ${mutant.file}:${mutant.line}: ${mutant.change}`);
  }
  console.log(figures(outcomes).join("\n"));
  if (options.write) {
    for (const [room, own] of Map.groupBy(outcomes, (outcome) => outcome.room)) {
      const left = own.filter((outcome) => survivors.includes(outcome));
      writePage(room, [...figures(own), "", ...explanations(left)].join("\n"));
    }
  }
  const covered = new Set(outcomes.map(({ mutant }) => mutant.file));
  const stale = EXPLAINED.filter(({ file }) => covered.has(file)).flatMap(({ file, mutants }) => {
    return mutants.filter((entry) => !survivors.some(({ mutant }) => mutant.file === file && explains(entry, mutant)))
      .map(([code, change]) => `${file}: ${change}\n    ${code}`);
  });
  for (const entry of stale) console.log(`no longer survives: ${entry}`);
  return unexplained.length === 0 && stale.length === 0;
}

function isExplained(mutant: Mutant): boolean {
  return EXPLAINED.some(({ file, mutants }) => {
    return file === mutant.file && mutants.some((entry) => explains(entry, mutant));
  });
}

function explains([code, change]: readonly [string, string], mutant: Mutant): boolean {
  return code === mutant.code && (change === "*" || change === mutant.change);
}

/** One row a file, one a room. */
function figures(outcomes: readonly Outcome[]): string[] {
  const rows = ["| File | Mutants | Noticed | Survived |", "| --- | ---: | ---: | ---: |"];
  const row = (name: string, own: readonly Outcome[]): string => {
    const noticed = own.filter(({ verdict }) => verdict === "killed" || verdict === "hung").length;
    return `| ${name} | ${own.length} | ${noticed} | ${own.length - noticed} |`;
  };
  for (const room of new Set(outcomes.map((outcome) => outcome.room))) {
    const inRoom = outcomes.filter((outcome) => outcome.room === room);
    for (const file of new Set(inRoom.map(({ mutant }) => mutant.file))) {
      rows.push(row(`\`${file}\``, inRoom.filter(({ mutant }) => mutant.file === file)));
    }
    rows.push(row(`**${room}, all**`, inRoom));
  }
  return rows;
}

/** One row for each reason, with the number of mutants that it explains. */
function explanations(survivors: readonly Outcome[]): string[] {
  const rows = ["| File | Line of code | Mutants | Why they survive |", "| --- | --- | ---: | --- |"];
  for (const { file, why, mutants } of EXPLAINED) {
    const own = survivors.filter(({ mutant }) =>
      mutant.file === file && mutants.some((entry) => explains(entry, mutant))
    );
    const lines = [...new Set(own.map(({ mutant }) => `\`${shortened(mutant.code).replaceAll("|", "\\|")}\``))];
    const name = file.slice(file.lastIndexOf("/") + 1);
    if (own.length > 0) {
      rows.push(
        `| \`${name}\` | ${lines.slice(0, 3).join(" ")}${lines.length > 3 ? " …" : ""} | ${own.length} | ${why} |`,
      );
    }
  }
  return rows;
}

function shortened(code: string): string {
  return code.length <= 48 ? code : `${code.slice(0, 45)}…`;
}

/** Replaces what stands between the marks of the room. */
function writePage(room: string, text: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [`<!-- ${room}: begin -->`, `<!-- ${room}: end -->`];
  const [before, after] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  writeFileSync(PAGE, `${page.slice(0, before)}\n\n${text}\n\n${page.slice(after)}`);
}
