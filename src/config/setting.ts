/** Reads single settings out of text, and the fault of one that cannot be used. */

/** Variables of a process by name. */
export type Environment = Readonly<Record<string, string>>;

/** `VISE_NAME`, else the older prefix that existing client configurations use (O-1). Empty counts as unset. */
export function environmentValue(environment: Environment, name: string): string | undefined {
  for (const prefix of ["VISE_", "CODING_TOOLS_MCP_"]) {
    const value = environment[prefix + name];
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** A flag or variable that cannot be used; printed as one `ERROR: …` line, exit 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const TRUTHY: ReadonlySet<string> = new Set(["1", "true", "yes", "on"]);

/** True for 1, true, yes and on in any case (contract 10.1). */
export function isTruthy(value: string | undefined): boolean {
  return value !== undefined && TRUTHY.has(value.trim().toLowerCase());
}

/** A whole number within `min`…`max`. @throws ConfigError naming the setting */
export function wholeNumber(text: string, { name, min, max }: { name: string; min: number; max: number }): number {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : NaN;
  if (!(value >= min && value <= max)) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

/** One of `choices`. @throws ConfigError naming the setting */
export function oneOf<const C extends readonly string[]>(
  text: string,
  { name, choices }: { readonly name: string; readonly choices: C },
): C[number] {
  if (!choices.includes(text)) throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not "${text}"`);
  return text;
}
