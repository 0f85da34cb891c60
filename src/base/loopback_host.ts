/** Which host names lead back to this machine and nowhere else. */

/** IPv6 addresses stand in brackets in URLs and `Host` headers (RFC 3986 section 3.2.2) and without them in options. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** Whether `host`, without a port, names this machine; an empty one does not. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.has(host.toLowerCase());
}

/** Whether a listener on `host` is reached from this machine only: an empty host binds to loopback. */
export function isLoopbackBinding(host: string): boolean {
  return host === "" || isLoopbackHost(host);
}
