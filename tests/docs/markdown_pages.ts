/** The pages of the documentation, and the blocks and links in them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { REPOSITORY } from "../support/server_command.ts";

/** One page and its text. */
export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

/** One fenced block. */
export interface Block {
  /** What stands behind the fence, such as `sh runnable`. */
  readonly info: string;
  readonly content: string;
}

/** Every page that people read, the root's first. */
export function pages(): Page[] {
  const inDocs = readdirSync(join(REPOSITORY, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md")).sort().map((name) => join(REPOSITORY, "docs", name));
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "llms.txt"].map((name) => join(REPOSITORY, name))
    .filter((path) => existsSync(path)).concat(inDocs)
    .map((path) => ({ path: relative(REPOSITORY, path), text: readFileSync(path, "utf8") }));
}

/** The fenced blocks of a page, in order. */
export function blocks(text: string): Block[] {
  return [...text.matchAll(/^(`{3,})([^\n`]*)\n([\s\S]*?)\n\1$/gm)]
    .map(([, , info, content]) => ({ info: (info as string).trim(), content: content as string }));
}

/** The page without what stands in fences, where brackets are no links. */
export function withoutBlocks(text: string): string {
  return text.replaceAll(/^(`{3,})[^\n`]*\n[\s\S]*?\n\1$/gm, "");
}

/** Anchors of the headings of a page, as GitHub makes them. */
export function anchors(text: string): Set<string> {
  return new Set(
    [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) =>
      (title as string).toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(/\s/g, "-")
    ),
  );
}
