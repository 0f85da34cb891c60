/** Protocol revisions by date: which exist here and which era each belongs to. */

/** Revisions with an `initialize` handshake, newest first. */
export const HANDSHAKE_REVISIONS = ["2025-11-25", "2025-06-18"] as const;
/** The stateless revision: every request carries its version in `_meta`. */
export const STATELESS_REVISION = "2026-07-28";
/** Newest first. */
export const ALL_REVISIONS: readonly string[] = [STATELESS_REVISION, ...HANDSHAKE_REVISIONS];

/** Begins the keys of `_meta` that MCP itself defines. */
export const META_PREFIX = "io.modelcontextprotocol/";
