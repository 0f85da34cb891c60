/** Where a request goes, read from the text of its address: `URL` throws for a `Host` that is none, and anybody may send one. */

/** The parts of the address that routing looks at. */
export interface RequestTarget {
  /** Host and port as they were sent; the request target has its own when it is an absolute URL (RFC 9112 section 3.2.2). */
  readonly authority: string;
  /** Percent-encoding kept, dot segments resolved, no trailing slash: `/mcp/` is `/mcp`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Reads the address of a request; any text is accepted. */
export function requestTarget(url: string): RequestTarget {
  const [, authority = "", rest = ""] = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  const { pathname, searchParams } = new URL(`http://localhost${rest.startsWith("/") ? "" : "/"}${rest}`);
  return { authority, path: pathname.replace(/\/+$/, "") || "/", query: searchParams };
}
