/**
 * A tree of source files to search.
 *
 * The same arguments give the same bytes. Words follow a Zipf distribution over real identifiers, so that prefilters
 * meet letters, lines and indentation as they are in source code; sizes are spread like those of real repositories
 * (most files a few KB, some 100 KB, mean about 7 KB).
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Literal that stands in every 2,500th file and nowhere else. */
export const RARE_LITERAL = "createHashOfNothingElse";
/** The part of it that every search for it matches; some servers show no more than the match. */
export const RARE_PART = "HashOfNothingElse";

/** Fills the directory. */
export function makeTree(directory: string, files: number): void {
  state = SEED;
  // Made once and cut from at random places: 360 MB of fresh lines would take minutes.
  const pool = Array.from({ length: 200_000 }, line);
  for (let index = 0; index < files; index++) {
    const path = join(
      directory,
      `pkg${index % 61}`,
      `mod${Math.floor(index / 61) % 80}`,
      `${word()}_${index}.${pick(["ts", "js", "py", "md", "json"])}`,
    );
    const lines = Math.floor(20 + 65 * -Math.log(1 - random() * 0.999));
    const from = Math.floor(random() * (pool.length - lines));
    const body = pool.slice(from, from + lines);
    if (index % 2_500 === 7) body.splice(lines >> 1, 0, `  return ${RARE_LITERAL}(value);`);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, body.join("\n") + "\n");
  }
}

const WORDS =
  "const function return import export from if else for while this new value index name type string number boolean result error options config data item list map set get key node path file line text buffer length create update remove find parse render handle request response server client event listener callback promise async await static class extends interface public private readonly default module require test describe expect equal assert async state props component element document window style color width height position offset start end first last next previous current total count size limit max min sum average user account session token password email address message subject body header footer content title description label button input output stream reader writer encoder decoder schema validate format locale date time zone hour minute second timeout interval delay retry attempt failure success status code reason cause stack trace debug info warn level logger console print log table row column cell cursor query insert select where order group join left right inner outer union todo fixme hash digest sign verify cipher random seed uuid cache store memory disk network socket port host protocol version release branch commit merge rebase diff patch apply revert tag remote origin upstream fetch pull push clone"
    .split(" ");
const SUFFIXES = [
  "",
  "",
  "",
  "s",
  "Id",
  "Name",
  "List",
  "Map",
  "At",
  "Of",
  "Count",
  "Handler",
  "Factory",
  "_id",
  "_name",
  "2",
];

const SEED = 0x2545f491;
let state = SEED;
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 0x1_0000_0000;
}

function word(): string {
  const rank = Math.floor(Math.pow(WORDS.length, random())) - 1;
  const first = WORDS[rank] as string;
  return random() < 0.3
    ? first + capitalized(WORDS[Math.floor(random() * WORDS.length)] as string)
    : first + pick(SUFFIXES);
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function line(): string {
  const indent = "  ".repeat(Math.floor(random() * 4));
  const kind = random();
  if (kind < 0.08) return "";
  if (kind < 0.18) return `${indent}// ${Array.from({ length: 4 + random() * 8 }, word).join(" ")}`;
  if (kind < 0.4) return `${indent}const ${word()} = ${word()}.${word()}(${word()}, "${word()} ${word()}");`;
  if (kind < 0.6) {
    return `${indent}if (${word()} === ${word()}.${word()}) return ${word()}[${Math.floor(random() * 1000)}];`;
  }
  if (kind < 0.62) return `${indent}// ${word()} – “${word()}” naïve café ${word()}`;
  return `${indent}${word()}.${word()}(${word()} => ${word()}.${word()} + ${Math.floor(random() * 100)});`;
}
