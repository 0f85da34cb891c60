/** What rooms that may not have been used yet tell about themselves to `server_info`. */

/** A command, without its text (O-41). */
export interface CommandSummary {
  readonly command_id: string;
  readonly age_seconds: number;
  readonly status: string;
}

/** Instruction files that were found in the workspace, workspace-relative. */
export interface ProjectContextFiles {
  readonly root_instruction_files: readonly string[];
  readonly nested_instruction_files: readonly string[];
  readonly warnings: readonly string[];
}
