/** What the runtime lets this process do (O-53). */

const NAMES = ["read", "write", "ffi", "run", "net", "env", "sys"] as const;

/** A permission of the runtime that Vise looks at. */
export type PermissionName = typeof NAMES[number];

/** `granted`: for everything. `partial`: for some names only. */
export type PermissionState = "granted" | "partial" | "denied";

/** The state of each permission; reading and writing count as given in part when `path` is among what is given. */
export function permissionStates(path: string): Readonly<Record<PermissionName, PermissionState>> {
  const states = NAMES.map((name) => [name, stateOf(name, path)] as const);
  return Object.fromEntries(states) as Record<PermissionName, PermissionState>;
}

function stateOf(name: PermissionName, path: string): PermissionState {
  const status = Deno.permissions.querySync({ name });
  if (status.state === "granted") return status.partial ? "partial" : "granted";
  const below = name === "read" || name === "write" ? Deno.permissions.querySync({ name, path }) : status;
  return below.state === "granted" ? "partial" : "denied";
}
