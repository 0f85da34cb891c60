/** Servers that `--server` names. */

import { messageOf } from "../driver/message_of.ts";
import type { Scene } from "../driver/workload.ts";
import { meetPeer, type Peer, type StartPlace, type Stranger } from "./peer.ts";

/** Meets them; whoever cannot be started, or has the name of another, is skipped with its reason. */
export async function makeGivenPeers(
  given: readonly string[],
  { place, taken, skip }: { place: StartPlace; taken: readonly string[]; skip: Scene["skip"] },
): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const text of given) {
    const stranger = readServerFlag(text);
    if ([...taken, ...peers.map(({ name }) => name)].includes(stranger.name)) {
      skip(stranger.name, "another server has this name; give it one with NAME=CMD");
      continue;
    }
    try {
      peers.push(await meetPeer(stranger, place));
    } catch (fault) {
      skip(stranger.name, messageOf(fault));
    }
  }
  return peers;
}

/** Reads `CMD` or `NAME=CMD`; words are separated by blanks, and quotes keep blanks inside a word. */
export function readServerFlag(text: string): Stranger {
  const [, name, rest = text] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
  const command = [...rest.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single)
  );
  return { name: name ?? command[0] ?? text, isVise: false, isGiven: true, command };
}
