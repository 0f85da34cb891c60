/** The command line: picks the subcommand and turns configuration faults into one line and exit code 2. */

import { PRODUCT } from "../base/product.ts";
import { ConfigError } from "../config/setting.ts";
import type { CliScene } from "./command.ts";
import { serveCommand } from "./serve_command.ts";

/** Returns the exit code; never throws for anything the user typed. */
export async function runCli(argv: readonly string[], scene: Omit<CliScene, "args">): Promise<number> {
  if (argv.includes("--version")) {
    await scene.out(`${PRODUCT.name} ${PRODUCT.version}\n`);
    return 0;
  }
  const beforeValues = argv[0] === "call" ? argv.slice(1, 2) : argv;
  if (beforeValues.includes("--help") || argv[0] === "help" || argv[0] === "-h") {
    const { helpText } = await import("./help.ts");
    await scene.out(helpText());
    return 0;
  }
  const [first, ...rest] = argv;
  try {
    if (first === undefined || first.startsWith("-")) return await serveCommand({ ...scene, args: argv });
    if (first === "serve") return await serveCommand({ ...scene, args: rest });
    const { COMMANDS } = await import("./commands.ts");
    const entry = COMMANDS.find((command) => command.name === first);
    if (entry === undefined) throw await unknownCommand(first, COMMANDS.map((command) => command.name));
    const run = await entry.load();
    return await run({ ...scene, args: rest });
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault;
    await scene.err(`ERROR: ${fault.message}\n`);
    return 2;
  }
}

async function unknownCommand(name: string, known: readonly string[]): Promise<ConfigError> {
  const { nearestName } = await import("../base/nearest_name.ts");
  const nearest = nearestName(name, known);
  return new ConfigError(
    `unknown command ${name}${nearest === null ? "" : `; did you mean ${nearest}?`} (see vise --help)`,
  );
}
