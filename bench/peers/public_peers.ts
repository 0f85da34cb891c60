/** What people would run instead: public servers from the npm registry, installed for the run and pinned. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { meetPeer, type Peer, type StartPlace } from "./peer.ts";

interface PublicPeer {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Below `node_modules/`. */
  readonly program: string;
  readonly args: readonly string[];
}

const PUBLIC_PEERS: readonly PublicPeer[] = [
  {
    name: "server-filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    program: "@modelcontextprotocol/server-filesystem/dist/index.js",
    args: ["{workspace}"],
  },
  {
    name: "desktop-commander",
    package: "@wonderwhy-er/desktop-commander",
    version: "0.2.52",
    program: "@wonderwhy-er/desktop-commander/dist/index.js",
    args: [],
  },
  {
    name: "mcp-server-commands",
    package: "mcp-server-commands",
    version: "0.5.0",
    program: "mcp-server-commands/build/index.js",
    args: [],
  },
  {
    name: "git-mcp-server",
    package: "@cyanheads/git-mcp-server",
    version: "2.15.3",
    program: "@cyanheads/git-mcp-server/dist/index.js",
    args: [],
  },
];

/** Installs and meets them; whoever cannot be had is skipped with its reason. */
export async function makePublicPeers(
  place: StartPlace,
  { installDir, skip }: { installDir: string; skip: (what: string, reason: string) => void },
): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const wanted of PUBLIC_PEERS) {
    try {
      await install(wanted, installDir);
      const program = join(installDir, "node_modules", wanted.program);
      const command = ["node", program, ...wanted.args];
      const peer = await meetPeer({ name: wanted.name, isVise: false, command }, place);
      // What a server says of itself is sometimes not the version of its package.
      peers.push({ ...peer, version: wanted.version });
    } catch (fault) {
      skip(wanted.name, fault instanceof Error ? fault.message.split("\n")[0] ?? "" : String(fault));
    }
  }
  return peers;
}

/** Without the scripts of the packages: they download browsers and binaries that these workloads do not use. */
async function install({ package: name, version }: PublicPeer, installDir: string): Promise<void> {
  const manifest = join(installDir, "node_modules", name, "package.json");
  if (existsSync(manifest) && JSON.parse(await Deno.readTextFile(manifest)).version === version) return;
  const args = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", installDir];
  const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
  const { code, stderr } = await new Deno.Command(npm, {
    args: [...args, `${name}@${version}`],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`npm could not install it: ${new TextDecoder().decode(stderr).slice(0, 150)}`);
}
