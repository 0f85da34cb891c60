/** The answers about one command as the one value that a script gets. */

type Value = Record<string, unknown>;

/** Of each answer only its own part of a stream is told by these; the other fields of an answer stand for the command. */
const ADDED_UP = ["output_lines", "output_bytes", "omitted_bytes"];

/**
 * The last of `answers` (one at least, in order), with the output of them all: texts joined, counts of what was shown or
 * left out added up, and a stream marked as cut where any answer cut it. What a caller would do next is left out of all
 * but the last answer: the server is gone by then.
 */
export function joinAnswers(answers: readonly Value[]): Value {
  const joined: Value = { ...answers.at(-1) };
  for (const stream of ["stdout", "stderr"]) {
    const texts = answers.map((answer) => answer[stream]).filter((text) => typeof text === "string");
    if (texts.length === 0) continue;
    joined[stream] = texts.join("");
    for (const count of ADDED_UP) joined[`${stream}_${count}`] = sumOf(answers, `${stream}_${count}`);
    const cut = answers.find((answer) => answer[`${stream}_truncated`] === true);
    if (cut === undefined) continue;
    joined[`${stream}_truncated`] = true;
    joined[`${stream}_truncated_by`] = cut[`${stream}_truncated_by`];
    joined["truncated"] = true;
  }
  return joined;
}

function sumOf(answers: readonly Value[], field: string): number {
  return answers.reduce((sum, answer) => sum + Number(answer[field] ?? 0), 0);
}
