/** What the program uses: every choice resolved once at start and never changed after it. */

/** How much commands are held to (docs/permissions.md): `trusted` opens some gates, `dangerous` also takes the sandbox away. */
export type PermissionMode = "safe" | "trusted" | "dangerous";
/** Reach of commands (O-30): nothing, an own loopback, or everything. */
export type NetworkReach = "none" | "loopback" | "open";
/** Who may use the server over HTTP; stdio asks for nothing. */
export type AuthMode = "noauth" | "bearer" | "oauth";

/** Bounds on commands and on what is kept of their output. */
export interface Limits {
  /** Active plus starting commands (contract 4.6). */
  readonly maxActiveCommands: number;
  /** Finished commands whose end and output are kept. */
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

/** The listener; without meaning on stdio. */
export interface HttpConfig {
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** Path of a PEM file; given together with `tlsKey`, or neither is. */
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly authMode: AuthMode;
  /** Bearer token; null where none is asked for. */
  readonly authToken: string | null;
  /** Makes a bearer token at start and prints it. */
  readonly generateAuthToken: boolean;
  /** Address under which clients reach a server behind a proxy; null: the one it listens on. */
  readonly serverUrl: string | null;
  /** Believes `Forwarded` (RFC 7239), `X-Forwarded-Host` and `X-Forwarded-Proto`. */
  readonly trustProxyHeaders: boolean;
  /** Web origins that may call beside the server's own. */
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

/** Made once by `resolveConfig`. */
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
  /** Says of every tool that it only reads, for clients that ask before anything else. */
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
  /** Canonical directories outside the workspace that commands may read and run programs from. */
  readonly execAllowRoots: readonly string[];
  /** Parent of the runtime tree as given; null: `<temp>/vise-<uid>` (O-36). */
  readonly runtimeRoot: string | null;
  /** Kept cache of commands (`--cache-dir`); null: in the runtime tree. */
  readonly cacheDir: string | null;
  /** Writes one JSON line per call to standard error. */
  readonly trace: boolean;
  readonly limits: Limits;
  /** The server's own environment as read at start, secrets of the server included: never hand it on unfiltered. */
  readonly environment: Readonly<Record<string, string>>;
  /** How this program starts itself again in a hidden role (workers, image decoder). */
  readonly self: SelfStart;
}

/** Two ways to start this program again. */
export interface SelfStart {
  /** URL of the entry module, for `new Worker`. */
  readonly entryUrl: string;
  /** Program and leading arguments that start the same entry as a child; null where the process may not. */
  readonly command: readonly string[] | null;
}
