/** `deno task docs`: writes what is generated; `--check` only compares and fails on drift. */

import { listingModule } from "./make_listing.ts";

const FILES: Readonly<Record<string, () => Promise<string>>> = {
  "src/catalog/listing_data.ts": listingModule,
};

const check = Deno.args.includes("--check");
let drifted = false;
for (const [path, make] of Object.entries(FILES)) {
  const wanted = await make();
  const present = await Deno.readTextFile(path).catch(() => "");
  if (present === wanted) continue;
  if (check) {
    console.error(`${path} differs from its source; run deno task docs`);
    drifted = true;
  } else {
    await Deno.writeTextFile(path, wanted);
    console.log(`wrote ${path}`);
  }
}
Deno.exit(drifted ? 1 : 0);
