/** Reads the numbers of a test run from its JUnit report. */

/** What one run says of its tests. */
export interface Counts {
  passed: number;
  failed: number;
  /** Name of each skipped test; by convention it holds the reason. */
  skipped: string[];
}

/** An absent report counts as nothing run. */
export async function countTests(report: string): Promise<Counts> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const counts: Counts = { passed: 0, failed: 0, skipped: [] };
  for (const [, attributes, rest] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const name = unescapeXml(/\bname="([^"]*)"/.exec(attributes as string)?.[1] ?? "");
    if (rest?.includes("<skipped")) counts.skipped.push(name);
    else if (rest !== undefined && /<(?:failure|error)\b/.test(rest)) counts.failed++;
    else counts.passed++;
  }
  return counts;
}

function unescapeXml(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&apos;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
