/** `vise doctor`: what is enforced here and why not, in words or as JSON. */

import { ConfigError } from "../config/setting.ts";
import { resolveConfig } from "../config/resolve_config.ts";
import type { DoctorRow, RowState } from "../engine/doctor/doctor_row.ts";
import type { CliScene } from "./command.ts";
import { readFlags } from "./read_flags.ts";

const MARKS: Readonly<Record<RowState, string>> = {
  ok: "ok     ",
  note: "       ",
  limited: "limited",
  failed: "FAILED ",
};

/** Exit code 1 when something that the configuration asks for is not enforced. */
export async function doctorCommand(scene: CliScene): Promise<number> {
  const asJson = scene.args.includes("--json");
  const { raw, rest } = readFlags(scene.args.filter((arg) => arg !== "--json"), scene.environment);
  if (rest[0] !== undefined) throw new ConfigError(`unexpected argument ${rest[0]}; see vise doctor --help`);
  const config = resolveConfig({ ...raw, stdio: true }, scene);
  const [{ makeEngines }, { examineHost }] = await Promise.all([
    import("../engine/make_engines.ts"),
    import("../engine/doctor/examine_host.ts"),
  ]);
  const engines = makeEngines(config, (line) => void scene.err(`vise: ${line}\n`));
  try {
    const rows = await examineHost(config, engines);
    const failed = hasFailed(rows);
    if (asJson) await scene.out(JSON.stringify({ ok: !failed, rows }, null, 2) + "\n");
    else await scene.out(inWords(rows));
    return failed ? 1 : 0;
  } finally {
    await engines.shutDown();
  }
}

function hasFailed(rows: readonly DoctorRow[]): boolean {
  return rows.some((row) => row.state === "failed");
}

function inWords(rows: readonly DoctorRow[]): string {
  const width = Math.max(...rows.map((row) => row.id.length));
  const lines = rows.flatMap((row) => {
    const first = `${MARKS[row.state]}  ${row.id.padEnd(width)}  ${row.means}`;
    return row.do === "" ? [first] : [first, `${" ".repeat(width + 11)}→ ${row.do}`];
  });
  const verdict = hasFailed(rows)
    ? "Something that this configuration asks for is not enforced (FAILED above)."
    : "Everything that this configuration asks for is enforced.";
  return [...lines, "", verdict, ""].join("\n");
}
