/** What is mutated, and which tests are to notice. */

/** Files, and the tests that are to notice what happens to them. */
export interface MutatedRoom {
  readonly files: readonly string[];
  /** Test files, or directories of them. All run in one process, so none starts a server. */
  readonly tests: readonly string[];
  /** Names of slow tests, which run with `--thorough` only: guards against hanging, and random runs of the whole engine. */
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
    tests: [
      "tests/scenarios",
      ...inRoom(
        "patch",
        "parse_patch_test find_scope_test find_substrings_test line_index_test reindent_test whitespace_test build_splices_test text_lines_test " +
          "line_edits_test splices_of_edits_test placement_failure_test locate_hunks_test patch_property_test plan_changes_test",
      ),
    ],
    guards: /^a patch made from a diff|full of repetitions|does not name keep every byte/,
  },
  policy: {
    files: inRoom(
      "policy",
      "classify_command danger_gates path_gate wrappers interpreter_call option_scan planted_files name_presence read_shell " +
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
