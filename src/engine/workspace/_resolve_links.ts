/** Follows symlinks in user space, by reading names only: what it returns is opened without following any (O-25). */

import { SystemError } from "../../platform/errno.ts";
import type { FileFacts } from "../../platform/file_facts.ts";
import type { Tree } from "../../platform/tree.ts";

/** Where a path leads. */
export type LinkResolution =
  | { readonly kind: "inside"; readonly path: string; readonly facts: FileFacts }
  /** A component does not exist. `isLink`: it is the target of a link. */
  | { readonly kind: "missing"; readonly path: string; readonly isLink: boolean; readonly errno: string }
  /** `isItself`: the last component of the spelled path is the link that leaves. */
  | { readonly kind: "outside"; readonly isItself: boolean };

/** Links followed for one path, as the kernel does (path_resolution(7)). */
const MAX_LINKS = 40;

/** Resolves `path`, normalized and relative to the root. @throws SystemError for faults other than "not there" */
export function resolveLinks(tree: Tree, path: string): LinkResolution {
  let done: string[] = [];
  let rest = steps(path, "spelled");
  let links = 0;
  /** Of the place that `done` names. */
  let facts = tree.facts(".");
  for (let step = rest.shift(); step !== undefined; step = rest.shift()) {
    if (step.name === "..") {
      if (facts.kind !== "directory") return { kind: "missing", path: done.join("/"), isLink: true, errno: "ENOTDIR" };
      // Only link targets hold "..": the spelled path was refused before.
      if (done.length === 0) return left(tree, "..", rest);
      done = done.slice(0, -1);
      facts = tree.facts(done.join("/") || ".");
      continue;
    }
    const here = [...done, step.name].join("/");
    let found: FileFacts;
    try {
      found = tree.facts(here);
    } catch (fault) {
      if (!isAbsence(fault)) throw fault;
      return { kind: "missing", path: here, isLink: step.origin === "link", errno: fault.errno };
    }
    if (found.kind !== "symlink") {
      done = [...done, step.name];
      facts = found;
      continue;
    }
    if (++links > MAX_LINKS) return { kind: "missing", path: here, isLink: true, errno: "ELOOP" };
    const target = tree.readLink(here);
    if (target.startsWith("/")) {
      if (target !== tree.root && !target.startsWith(`${tree.root}/`)) return left(tree, target, rest);
      done = [];
      facts = tree.facts(".");
      rest = [...steps(target.slice(tree.root.length), "link"), ...rest];
    } else {
      rest = [...steps(target, "link"), ...rest];
    }
  }
  return { kind: "inside", path: done.join("/") || ".", facts };
}

interface Step {
  readonly name: string;
  /** Whether the caller spelled this component or a link brought it. */
  readonly origin: "spelled" | "link";
}

function steps(path: string, origin: Step["origin"]): Step[] {
  return path.split("/").filter((name) => name !== "" && name !== ".").map((name) => ({ name, origin }));
}

/**
 * A link may leave the root by name and still end inside, as when the root itself is spelled through a link.
 *
 * Security: everything that ends outside, existing or not, is one answer, so that none tells what exists out there.
 */
function left(tree: Tree, target: string, rest: readonly Step[]): LinkResolution {
  const outside: LinkResolution = { kind: "outside", isItself: !rest.some((step) => step.origin === "spelled") };
  const absolute = target.startsWith("/") ? target : `${tree.root}/${target}`;
  const canonical = tree.canonical([absolute, ...rest.map((step) => step.name)].join("/"));
  if (canonical === null) return outside;
  if (canonical !== tree.root && !canonical.startsWith(`${tree.root}/`)) return outside;
  const path = canonical.slice(tree.root.length + 1) || ".";
  return { kind: "inside", path, facts: tree.facts(path) };
}

function isAbsence(fault: unknown): fault is SystemError {
  return fault instanceof SystemError && (fault.errno === "ENOENT" || fault.errno === "ENOTDIR");
}
