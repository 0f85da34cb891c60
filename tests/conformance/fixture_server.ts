/** Serves the fixture catalog over HTTP on a free port and prints its URL as the first line. */

import { resolveConfig } from "../../src/config/resolve_config.ts";
import { emptyRawConfig } from "../../src/config/raw_config.ts";
import { serveHttp } from "../../src/transport/http/serve_http.ts";
import { fixtureCatalog } from "./fixture_catalog.ts";

const config = resolveConfig({ ...emptyRawConfig(), http: "127.0.0.1:0" }, {
  environment: {},
  currentDirectory: Deno.cwd(),
  places: { canonical: (path) => path, isDirectory: () => true },
  self: { entryUrl: import.meta.url, command: null },
});
// Ends of its own accord, so that its coverage is written.
Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
const server = serveHttp({
  config,
  served: {
    info: { name: "vise-fixtures", title: "Vise fixtures", version: "0.0.0" },
    catalog: fixtureCatalog,
    instructions: () => Promise.resolve("Fixtures of the conformance suite."),
    log: () => {},
  },
  trueListing: fixtureCatalog.listText(),
  oauth: null,
  onListen: (url) => console.log(`${url}/mcp`),
});
await server.finished;
