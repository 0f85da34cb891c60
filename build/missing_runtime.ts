/** Tells whether an executable could not be made because nothing gave the runtime that goes into it. */

/**
 * The line of a failed `deno compile` that says so: the runtime (denort) comes from dl.deno.land unless `DENORT_BIN`
 * names it, and a machine may reach only package registries. Null for every other fault, which is one of ours.
 */
export function missingRuntime(message: string): string | null {
  const line = message.split("\n").find((one) => /error sending request for url \(https:\/\/[^)]*\/denort-/.test(one));
  return line?.trim().replace(/^\d+: /, "") ?? null;
}
