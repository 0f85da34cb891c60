/** The attack programs, in four languages, in every mode, as root and as an ordinary user, through the real server. */

import assert from "node:assert/strict";
import { AttackScene, showsSecret } from "./support/attack_scene.ts";
import { serverUsers } from "./support/other_user.ts";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";

const HERE = new URL("./attacks/", import.meta.url);

interface Setting {
  readonly name: string;
  readonly flags: readonly string[];
  /** Attacks that reach the network are expected to fail. */
  readonly closed: boolean;
}

const SETTINGS: readonly Setting[] = [
  { name: "safe mode", flags: [], closed: true },
  { name: "trusted mode without network", flags: ["--permission-mode", "trusted", "--network", "none"], closed: true },
  {
    name: "trusted mode with a loopback",
    flags: ["--permission-mode", "trusted", "--network", "loopback"],
    closed: true,
  },
  { name: "trusted mode with the network open", flags: ["--permission-mode", "trusted"], closed: false },
];

/** What an open network allows, by its meaning. */
const NETWORK =
  /\b(?:TCP|IPv6|datagram|Unix socket|resolve a name|raw socket|packet socket|virtual machine|cryptography|io_uring)\b/;
/** What Landlock cannot refuse and only a read-only mount or a namespace can. */
const ATTRIBUTES = /^(?:change the (?:mode|owner|times)|set an extended attribute|reach shared memory)/;

/** Attacks that are refused by something not being there. */
const MAY_BE_ABSENT = /^(?:mount|reach shared memory|set an extended attribute|read the home directory)/;

interface Language {
  readonly name: string;
  readonly file: string;
  readonly command: string;
  /** Program that must be installed. */
  readonly needs: string;
  /** Attacks that its program makes at least; a program that ends early would otherwise look like a success. */
  readonly atLeast: number;
}

const LANGUAGES: readonly Language[] = [
  { name: "shell", file: "attack.sh", command: "bash ./attack.sh", needs: "bash", atLeast: 30 },
  { name: "Python", file: "attack.py", command: "python3 ./attack.py", needs: "python3", atLeast: 35 },
  { name: "Perl", file: "attack.pl", command: "perl ./attack.pl", needs: "perl", atLeast: 22 },
  { name: "C", file: "attack.c", command: "./attack", needs: "gcc", atLeast: 65 },
];

const kernel = landlockSupport();
const unconfined = Deno.build.os !== "linux" || kernel.abi === null || kernel.abi < 6;
if (unconfined) console.warn("ignored: attacks need Linux with Landlock version 6 (kernel 6.12)");

for (const user of serverUsers()) {
  for (const setting of SETTINGS) {
    Deno.test({
      name: `in ${setting.name}, as ${user.name}, no attack leaves the sandbox`,
      ignore: unconfined,
      async fn(t) {
        await using scene = await AttackScene.create(user, setting.flags);
        for (const language of LANGUAGES) {
          if (!await hasProgram(language.needs)) {
            console.warn(`ignored: attacks in ${language.name}, because ${language.needs} is not installed`);
            continue;
          }
          await install(scene, language);
          const { stdout, value } = await scene.run(language.command);
          const report = value["sandbox"] as { attributes: string };
          const outcomes = parse(stdout);
          assert.ok(
            outcomes.length >= language.atLeast,
            `${language.name}: only ${outcomes.length}\n${JSON.stringify(value)}`,
          );
          for (const { attack, outcome, reason } of outcomes) {
            if (!setting.closed && NETWORK.test(attack)) continue;
            if (report.attributes === "unconfined" && ATTRIBUTES.test(attack)) continue;
            await t.step(`a command in ${language.name} cannot ${attack}`, () => {
              assert.equal(outcome, "blocked", reason);
              // An attack that missed its aim proves nothing.
              if (!MAY_BE_ABSENT.test(attack)) assert.doesNotMatch(reason, /no such (?:file|process)/i);
            });
          }
          await t.step(`a command in ${language.name} shows no secret`, () => assert.ok(!showsSecret(stdout), stdout));
        }
        if (setting.closed) {
          await t.step("nothing outside was changed, reached or ended", async () => {
            assert.deepEqual(await scene.damage(), []);
          });
        }
      },
    });
  }
}

async function install(scene: AttackScene, language: Language): Promise<void> {
  const source = new URL(language.file, HERE);
  if (language.name !== "C") return scene.install(language.file, await Deno.readTextFile(source));
  const program = scene.workspace.path("attack");
  const args = ["-O1", "-o", program, source.pathname];
  const { success, stderr } = await new Deno.Command("gcc", { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

function parse(stdout: string): { attack: string; outcome: string; reason: string }[] {
  return stdout.split("\n").filter((line) => line.includes("\t")).map((line) => {
    const [attack = "", outcome = "", reason = ""] = line.split("\t");
    return { attack, outcome, reason };
  });
}

async function hasProgram(name: string): Promise<boolean> {
  return (await new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stdout: "null" }).output()).success;
}
