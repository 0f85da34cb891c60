/** `deno run -A build/check_version.ts [TAG]`: deno.json, the product and the tag of a release name one version. */

import { PRODUCT } from "../src/base/product.ts";

if (import.meta.main) {
  const fault = versionFault(JSON.parse(Deno.readTextFileSync("deno.json")).version, Deno.args[0]);
  if (fault !== null) {
    console.error(fault);
    Deno.exit(1);
  }
  console.log(PRODUCT.version);
}

/** What does not agree; null: everything does. */
export function versionFault(configured: string, tag: string | undefined): string | null {
  if (configured !== PRODUCT.version) return `deno.json says ${configured}, src/base/product.ts ${PRODUCT.version}`;
  if (tag !== undefined && tag !== `v${PRODUCT.version}`) return `the tag is ${tag}, the version ${PRODUCT.version}`;
  return null;
}
