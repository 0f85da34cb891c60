/** Who answers: names and version as they appear on the wire and in the help. */

export const PRODUCT = { name: "vise", title: "Vise", version: "0.1.0" } as const;
