/** Who answers: names and version as they appear on the wire and in the help. */

/** Sent as `serverInfo`; a test holds the version against that of `deno.json`. */
export const PRODUCT = { name: "vise", title: "Vise", version: "0.1.0" } as const;

/** Protocol revisions that are served, newest first. */
export const PROTOCOL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18"] as const;
