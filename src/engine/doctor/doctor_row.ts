/** One finding of `vise doctor`. */

/**
 * `ok`: works. `note`: a fact. `limited`: less than other systems give. `failed`: something this configuration asks
 * for is not there or not enforced; the command then ends with status 1.
 */
export type RowState = "ok" | "note" | "limited" | "failed";

/** One line of the report; with `--json` an object with these fields. */
export interface DoctorRow {
  /** Stable name for scripts. */
  readonly id: string;
  readonly state: RowState;
  /** What it means, in one sentence. */
  readonly means: string;
  /** What to do about it; empty when there is nothing to do. */
  readonly do: string;
}
