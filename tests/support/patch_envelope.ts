/** The text of a patch in its envelope. */

/** `lines` between the first and the last line that every patch has. */
export function patchEnvelope(...lines: string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}
