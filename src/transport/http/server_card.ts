/** The public description of this server (contract 2.10). */

import type { Config } from "../../config/config.ts";
import { ALL_REVISIONS } from "../../protocol/revisions.ts";
import type { Served } from "../../protocol/served.ts";

interface ListedAnnotations {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint?: boolean };
}

/** `trueListing`: definitions with their real annotations, also where a flag fakes them for clients. */
export function serverCard(
  served: Served,
  { config, base, trueListing }: { config: Config; base: string; trueListing: string },
): unknown {
  const names = served.catalog.names();
  const tools = (JSON.parse(trueListing) as ListedAnnotations[]).filter((tool) => names.includes(tool.name));
  const readOnly = tools.filter((tool) => tool.annotations.readOnlyHint === true).map((tool) => tool.name);
  return {
    supportedProtocolVersions: ALL_REVISIONS,
    server: served.info,
    transport: { type: "streamable_http", endpoint: "/mcp", methods: ["POST", "OPTIONS"] },
    auth: authOf(config, base),
    tools: {
      count: names.length,
      names,
      readOnlyHintTrue: readOnly,
      readOnlyHintFalse: names.filter((name) => !readOnly.includes(name)),
      annotationOverride: config.fakeReadonlyAnnotations ? "fake_readonly" : null,
    },
    capabilities: { tools: { listChanged: false } },
  };
}

function authOf({ http }: Config, base: string): unknown {
  if (http.authMode === "oauth") {
    return {
      type: "oauth2",
      scheme: "Bearer",
      header: "Authorization",
      authorizationUrl: `${base}/oauth/authorize`,
      tokenUrl: `${base}/oauth/token`,
    };
  }
  if (http.authToken !== null || http.generateAuthToken) {
    return { type: "bearer", scheme: "Bearer", header: "Authorization" };
  }
  return { type: "none", scheme: null, header: null };
}
