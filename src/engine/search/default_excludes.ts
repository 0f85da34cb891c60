/** Names that listings and searches leave out unless asked (contract 3.4). */

/** Left out as any component below the path of the call. */
export const DEFAULT_EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  ".git",
  ".reference",
  "node_modules",
  "target",
  "dist",
  "build",
  ".venv",
  "venv",
  ".tox",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  "__pycache__",
]);

/** True for a dot name. */
export function isHiddenName(name: string): boolean {
  return name.startsWith(".");
}
