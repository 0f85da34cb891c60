/** Flags about how clients connect. */

import { wholeNumber } from "../../config/setting.ts";
import type { Flag } from "../flag.ts";

/** stdio or HTTP, and who may connect over HTTP. */
export const TRANSPORT_FLAGS: readonly Flag[] = [
  {
    name: "stdio",
    category: "Transport",
    value: null,
    env: null,
    fallback: "on",
    about: "serve one client over standard input and output",
    apply: (raw) => void (raw.stdio = true),
  },
  {
    name: "http",
    category: "Transport",
    value: "HOST:PORT",
    valueOptional: true,
    env: null,
    fallback: "off",
    about: "serve Streamable HTTP at /mcp",
    apply: (raw, value) => void (raw.http = value === "" ? true : value),
  },
  {
    name: "host",
    category: "HTTP",
    value: "HOST",
    env: "HOST",
    fallback: "127.0.0.1",
    about: "address to bind; beyond loopback it needs authentication",
    apply: (raw, value) => void (raw.host = value),
  },
  {
    name: "port",
    category: "HTTP",
    value: "N",
    env: "PORT",
    fallback: "8000",
    about: "port to bind; 0 takes a free one and prints it",
    apply: (raw, value) => void (raw.port = wholeNumber(value, { name: "--port", min: 0, max: 65_535 })),
  },
  {
    name: "tls-cert",
    category: "HTTP",
    value: "FILE",
    env: "TLS_CERT",
    fallback: "none",
    about: "PEM certificate chain; with --tls-key HTTP becomes HTTPS",
    apply: (raw, value) => void (raw.tlsCert = value),
  },
  {
    name: "tls-key",
    category: "HTTP",
    value: "FILE",
    env: "TLS_KEY",
    fallback: "none",
    about: "PEM private key of --tls-cert",
    apply: (raw, value) => void (raw.tlsKey = value),
  },
  {
    name: "auth-token",
    category: "HTTP",
    value: "TOKEN",
    env: "AUTH_TOKEN",
    fallback: "none",
    about: "bearer token that clients must send; better given by the environment, where other users cannot read it",
    apply: (raw, value) => void (raw.authToken = value),
  },
  {
    name: "oauth-mode",
    category: "HTTP",
    value: null,
    env: "OAUTH_MODE",
    fallback: "off",
    about: "let clients register and log in by OAuth 2.1",
    apply: (raw) => void (raw.oauth = true),
  },
];
