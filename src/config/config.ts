/** What the program uses: every choice resolved once at start and never changed after it. */

export type PermissionMode = "safe" | "trusted" | "dangerous";
/** Reach of commands (O-30): nothing, an own loopback, or everything. */
export type NetworkReach = "none" | "loopback" | "open";
export type AuthMode = "noauth" | "bearer" | "oauth";

export interface Limits {
  /** Active plus starting commands (contract 4.6). */
  readonly maxActiveCommands: number;
  readonly maxRetainedCommands: number;
  /** Retained output of all commands, bytes. */
  readonly maxOutputBytesTotal: number;
  /** Budget of one stream, bytes; an eighth of it is the head. */
  readonly streamBufferBytes: number;
  /** Seconds a finished command stays after its end was first reported. */
  readonly commandTtlS: number;
  /** Processes and summed resident memory of one command (O-38); null: unlimited. */
  readonly maxProcesses: number | null;
  readonly maxMemoryMb: number | null;
}

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly authMode: AuthMode;
  /** Bearer token; null where none is asked for. */
  readonly authToken: string | null;
  readonly generateAuthToken: boolean;
  readonly serverUrl: string | null;
  readonly trustProxyHeaders: boolean;
  readonly allowedOrigins: readonly string[];
  readonly oauth: {
    readonly password: string | null;
    /** Hex of at least 32 bytes; null: random per process. */
    readonly tokenSecret: string | null;
    /** 60–604800. */
    readonly tokenTtlS: number;
    readonly clientId: string | null;
    readonly clientSecret: string | null;
    readonly redirectUris: readonly string[];
  };
}

export interface Config {
  /** Canonical absolute root. */
  readonly workspace: string;
  readonly transport: "stdio" | "http";
  readonly http: HttpConfig;
  readonly permissionMode: PermissionMode;
  readonly network: NetworkReach;
  readonly requireSandbox: boolean;
  /** False: results carry text only (`--structured off`, O-5). */
  readonly structured: boolean;
  readonly fakeReadonlyAnnotations: boolean;
  readonly workspaceMutation: "unrestricted" | "structured-only";
  /** As given; relative to the root or absolute. */
  readonly writePaths: readonly string[];
  readonly viewImage: boolean;
  /** Command shell as given; null: `sh` from PATH. */
  readonly shell: string | null;
  readonly shellEnvInherit: "core" | "all" | "none";
  readonly shellEnvIncludeOnly: readonly string[];
  readonly shellEnvExclude: readonly string[];
  readonly shellEnvSet: Readonly<Record<string, string>>;
  readonly toolchains: "auto" | "none";
  readonly execAllowRoots: readonly string[];
  /** Parent of the runtime tree as given; null: `<temp>/vise-<uid>` (O-36). */
  readonly runtimeRoot: string | null;
  /** Kept cache of commands (`--cache-dir`); null: in the runtime tree. */
  readonly cacheDir: string | null;
  readonly trace: boolean;
  readonly limits: Limits;
  /** The server's own environment as read at start, secrets of the server included: never hand it on unfiltered. */
  readonly environment: Readonly<Record<string, string>>;
  /** How this program starts itself again in a hidden role (workers, image decoder). */
  readonly self: SelfStart;
}

export interface SelfStart {
  /** URL of the entry module, for `new Worker`. */
  readonly entryUrl: string;
  /** Program and leading arguments that start the same entry as a child; null where the process may not. */
  readonly command: readonly string[] | null;
}
