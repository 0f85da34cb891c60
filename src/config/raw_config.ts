/** What the user typed or exported, unresolved: a field is absent until a flag or a variable sets it. */

import type { Config, Limits } from "./config.ts";

/** One field per flag; the wordings are those of the flags. */
export interface RawConfig {
  workspace?: string;
  stdio?: boolean;
  /** `--http`, with or without `HOST:PORT`. */
  http?: string | true;
  host?: string;
  port?: number;
  tlsCert?: string;
  tlsKey?: string;
  authToken?: string;
  oauth?: boolean;
  permissionMode?: Config["permissionMode"];
  network?: Config["network"];
  allowNetwork?: boolean;
  skipAllPermissions?: boolean;
  fakeReadonlyAnnotations?: boolean;
  requireSandbox?: boolean;
  structured?: boolean;
  workspaceMutation?: Config["workspaceMutation"];
  writePaths: string[];
  shell?: string;
  shellEnvInherit?: Config["shellEnvInherit"];
  toolchains?: Config["toolchains"];
  cacheDir?: string;
  viewImage?: boolean;
  limits: { -readonly [K in keyof Limits]?: Limits[K] };
}

/** A configuration in which nothing was chosen yet. */
export function emptyRawConfig(): RawConfig {
  return { writePaths: [], limits: {} };
}
