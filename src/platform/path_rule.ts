/** What a confined process may do beneath one path; every system's sandbox is made from these. */

/**
 * `write`: everything. `execute`: read, list and execute. `read`: read and list. `device`: read, write and control.
 */
export type Access = "write" | "execute" | "read" | "device";

/** One rule: `path` and everything beneath it. */
export interface PathRule {
  readonly path: string;
  readonly access: Access;
  /** A required path that cannot be opened fails the sandbox; another is left out. */
  readonly required: boolean;
}
