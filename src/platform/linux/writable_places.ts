/** The places of a plan that commands may write, as mounts are laid over them. */

import type { PathRule } from "../path_rule.ts";
import { realPath } from "./real_path.ts";

/** Canonical, existing paths of `write` rules; none lies in another, because the copy of a place holds all beneath it. */
export function writablePlaces(rules: readonly PathRule[]): string[] {
  const places = new Set<string>();
  for (const rule of rules) {
    if (rule.access !== "write") continue;
    const path = realPath(rule.path);
    if (path !== null) places.add(path);
  }
  return [...places].filter((place) => ![...places].some((other) => other !== place && place.startsWith(other + "/")));
}
