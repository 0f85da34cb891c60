/**
 * What people would run instead: public servers from the npm registry, pinned, and installed when first needed.
 *
 * How they were chosen stands at the head of `docs/benchmarks.md` (`bench/driver/tables.ts`).
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../driver/command.ts";
import { messageOf } from "../driver/message_of.ts";
import { meetPeer, type Peer, type StartPlace } from "./peer.ts";

interface PublicPeer {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Below the directory of the package. */
  readonly program: string;
  readonly args?: readonly string[];
}

/** Exact versions, so that figures can be made again. */
export const PUBLIC_PEERS: readonly PublicPeer[] = [
  {
    name: "server-filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    program: "dist/index.js",
    args: ["{workspace}"],
  },
  {
    name: "desktop-commander",
    package: "@wonderwhy-er/desktop-commander",
    version: "0.2.52",
    program: "dist/index.js",
  },
  { name: "mcp-server-commands", package: "mcp-server-commands", version: "0.5.0", program: "build/index.js" },
  { name: "mcp-server-code-runner", package: "mcp-server-code-runner", version: "0.1.8", program: "dist/cli.js" },
  { name: "mcp-ripgrep", package: "mcp-ripgrep", version: "0.4.0", program: "dist/index.js" },
  { name: "git-mcp-server", package: "@cyanheads/git-mcp-server", version: "2.15.3", program: "dist/index.js" },
  { name: "github-mcp-server", package: "github-mcp-server", version: "1.8.7", program: "dist/index.js" },
];

/** Installs and meets them; whoever cannot be had is skipped with its reason. */
export async function makePublicPeers(
  place: StartPlace,
  { installDir, skip }: { installDir: string; skip: (what: string, reason: string) => void },
): Promise<Peer[]> {
  const node = findProgram("node");
  if (node === null) {
    skip("public servers", "node is not installed");
    return [];
  }
  const peers: Peer[] = [];
  for (const wanted of PUBLIC_PEERS) {
    try {
      const command = [node, await install(wanted, installDir), ...wanted.args ?? []];
      const peer = await meetPeer({ name: wanted.name, isVise: false, command }, place);
      // What a server says of itself is sometimes not the version of its package.
      peers.push({ ...peer, version: wanted.version });
    } catch (fault) {
      skip(wanted.name, messageOf(fault));
    }
  }
  return peers;
}

/** Without the scripts of the packages: they download browsers and binaries that these workloads do not use. */
async function install({ package: name, version, program }: PublicPeer, installDir: string): Promise<string> {
  const directory = join(installDir, `${name.replaceAll(/\W+/g, "-")}-${version}`);
  const path = join(directory, "node_modules", name, program);
  if (existsSync(path)) return path;
  const args = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", directory];
  const npm = findProgram("npm");
  if (npm === null) throw new Error("npm is not installed");
  const { code, stderr } = await new Deno.Command(npm, {
    args: [...args, `${name}@${version}`],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`npm could not install it: ${new TextDecoder().decode(stderr)}`);
  return path;
}
