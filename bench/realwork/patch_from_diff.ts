/** A unified diff as git prints it → the envelope that `apply_patch` takes. */

/** Text files only; renames must be switched off. */
export function patchFromDiff(diff: string): string {
  const out = ["*** Begin Patch"];
  for (const file of diff.split(/^diff --git .*\n/m).slice(1)) {
    const path = /^\+\+\+ b\/(.*)$/m.exec(file)?.[1] ?? /^--- a\/(.*)$/m.exec(file)?.[1] ?? "";
    const lines = file.split("\n");
    const body = lines.slice(lines.findIndex((line) => line.startsWith("@@"))).filter((line) =>
      line !== "" && !line.startsWith("\\")
    );
    if (/^deleted file mode/m.test(file)) out.push(`*** Delete File: ${path}`);
    else if (/^new file mode/m.test(file)) {
      out.push(`*** Add File: ${path}`, ...body.filter((line) => line.startsWith("+")));
    } else out.push(`*** Update File: ${path}`, ...body.map((line) => line.startsWith("@@") ? "@@" : line));
  }
  return [...out, "*** End Patch", ""].join("\n");
}
