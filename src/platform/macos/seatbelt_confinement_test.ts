import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import type { ConfinementRequest } from "../confinement.ts";
import { seatbeltConfinement } from "./seatbelt_confinement.ts";

const REQUEST: ConfinementRequest = {
  rules: [],
  network: "none",
  pipesOnly: false,
  sealAttributes: false,
  launchPrefix: "/tmp/x",
};

Deno.test({
  name: "where sandbox-exec is missing, the confinement says so and starts programs as they are",
  ignore: existsSync("/usr/bin/sandbox-exec"),
  fn() {
    const confinement = seatbeltConfinement();
    match(confinement.reason ?? "", /sandbox-exec/);
    const { mechanism, reason } = confinement.examine(REQUEST);
    deepStrictEqual([mechanism, reason], ["none", confinement.reason]);
    const { launch, enforcement } = confinement.prepare(["/bin/echo", "hi"], REQUEST);
    deepStrictEqual([launch.path, launch.argv], ["/bin/echo", ["/bin/echo", "hi"]]);
    deepStrictEqual([enforcement.filesystem, enforcement.reason], ["unconfined", confinement.reason]);
    strictEqual(confinement.close(), undefined);
  },
});
