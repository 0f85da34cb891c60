/** What is mutated, and which tests are to notice. */

/** Files, and the tests that are to notice what happens to them. */
export interface MutatedRoom {
  readonly files: readonly string[];
  /** Test files, or directories of them. All run in one process, so none starts a server. */
  readonly tests: readonly string[];
  /** Names of tests that only guard against hanging or crashes: they are slow, and run with `--thorough` only. */
  readonly guards: RegExp;
}

const inRoom = (room: string, names: string): string[] =>
  names.split(" ").map((name) => `src/engine/${room}/${name}.ts`);

/** By the name that `--room` takes. */
export const ROOMS: Readonly<Record<string, MutatedRoom>> = {
  /** Everything between the text of a patch and the lines that are written; not the commit to disk. */
  patch: {
    files: inRoom(
      "patch",
      "parse_patch locate_hunks find_scope line_index reindent whitespace build_splices text_lines find_substrings line_edits " +
        "placement_failure",
    ),
    tests: ["tests/scenarios", "src/engine/patch"],
    guards: /does not hang|dies|at any step|recovery|a commit that cannot/,
  },
  policy: {
    files: inRoom(
      "policy",
      "classify_command danger_gates path_gate wrappers interpreters option_scan planted_files name_presence read_shell " +
        "shell_place shell_reading word_readings word_values policy_engine grant_store ask_permission permission_error diagnose",
    ),
    tests: ["tests/policy/commands_test.ts", "src/engine/policy"],
    guards: /ends soon|neither fails nor hangs/,
  },
  output: {
    files: inRoom("output", "head_tail_buffer incomplete_suffix read_page render_terminal stream_window"),
    tests: ["src/engine/output"],
    guards: /linear time/,
  },
};
