/** Version managers and package prefixes: where they live and what of them a command needs (O-35). */

/** A version manager: where it lives and what of it a command needs. */
export interface VersionManager {
  readonly kind: string;
  /** Variable that names its directory, handed to commands when `handOn`. */
  readonly variable: string;
  readonly handOn: boolean;
  /** Usual place below the home directory. */
  readonly usual: string;
  /** Entries of its directory that are granted; `prefixes/*` grants the entries of each prefix without credentials. */
  readonly grants: readonly string[];
}

/** Every manager that is known; a directory on PATH belongs to the first whose home holds it. */
export const MANAGERS: readonly VersionManager[] = [
  {
    kind: "pyenv",
    variable: "PYENV_ROOT",
    handOn: true,
    usual: ".pyenv",
    grants: ["bin", "shims", "libexec", "completions", "pyenv.d", "plugins", "version", "versions/*"],
  },
  {
    kind: "nvm",
    variable: "NVM_DIR",
    handOn: true,
    usual: ".nvm",
    grants: ["nvm.sh", "nvm-exec", "bash_completion", "alias", "versions/node/*"],
  },
  { kind: "fnm", variable: "FNM_DIR", handOn: false, usual: ".local/share/fnm", grants: ["aliases", "node-versions"] },
  {
    kind: "volta",
    variable: "VOLTA_HOME",
    handOn: true,
    usual: ".volta",
    grants: ["bin", "tools", "hooks.json", "layout.v4"],
  },
  {
    kind: "asdf",
    variable: "ASDF_DATA_DIR",
    handOn: true,
    usual: ".asdf",
    grants: ["bin", "shims", "lib", "libexec", "asdf.sh", "plugins", "installs", "completions", "defaults"],
  },
  {
    kind: "mise",
    variable: "MISE_DATA_DIR",
    handOn: true,
    usual: ".local/share/mise",
    grants: ["bin", "shims", "plugins", "installs"],
  },
  {
    kind: "rustup",
    variable: "RUSTUP_HOME",
    handOn: true,
    usual: ".rustup",
    grants: ["toolchains", "settings.toml", "update-hashes"],
  },
  { kind: "cargo", variable: "CARGO_HOME", handOn: false, usual: ".cargo", grants: ["bin"] },
  {
    kind: "sdkman",
    variable: "SDKMAN_DIR",
    handOn: true,
    usual: ".sdkman",
    grants: ["bin", "candidates", "libexec", "src", "contrib", "var"],
  },
  {
    kind: "homebrew",
    variable: "HOMEBREW_PREFIX",
    handOn: false,
    usual: ".linuxbrew",
    grants: ["bin", "sbin", "lib", "libexec", "include", "share", "opt", "Cellar", "Caskroom"],
  },
  { kind: "uv", variable: "UV_PYTHON_INSTALL_DIR", handOn: false, usual: ".local/share/uv/python", grants: ["*"] },
  { kind: "uv-tools", variable: "UV_TOOL_DIR", handOn: false, usual: ".local/share/uv/tools", grants: ["*"] },
  { kind: "pipx", variable: "PIPX_HOME", handOn: false, usual: ".local/share/pipx", grants: ["venvs/*", "shared"] },
];

/** Homes of Homebrew besides the one under the home directory. */
export const HOMEBREW_PLACES = ["/home/linuxbrew/.linuxbrew", "/opt/homebrew"] as const;
