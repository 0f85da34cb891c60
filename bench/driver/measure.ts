/** Times of one workload, taken in turn: every round runs each contestant once, so that the load of the machine meets all of them. */

import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { type Reply, textOf } from "../peers/mcp_session.ts";
import { messageOf } from "./message_of.ts";

/** One program, or one bare call, that does the work. */
export interface Runner {
  readonly name: string;
  /** Does the work once. */
  readonly run: () => Promise<Done | void>;
  /** Makes ready for the next sample; not timed. */
  readonly prepare?: () => Promise<void> | void;
  /** How many runs one sample is the mean of; 1 unless given. */
  readonly calls?: number;
}

/** What is left when the clock has stopped. */
export interface Done {
  /** Looks whether the work was really done, or clears away. @throws Error when it was not done */
  readonly settle?: () => Promise<void> | void;
  /** Its size goes into the table. */
  readonly reply?: Reply;
  /** Milliseconds that count instead of the whole run. */
  readonly ms?: number;
}

/** Someone who would be expected here and cannot do it, with the reason in words. */
export interface Absentee {
  readonly name: string;
  readonly reason: string;
}

/** Whoever stands beside the others in a workload. */
export type Contestant = Runner | Absentee;

/** A value that is measured once. */
export interface Probe {
  readonly name: string;
  readonly read: () => Promise<number> | number;
}

/** One contestant's part of a result. Times are milliseconds unless the workload names another unit. */
export interface Row {
  readonly contestant: string;
  readonly p50: number;
  readonly p95: number;
  readonly samples: number;
  readonly answer?: AnswerSize;
}

/** Size of the last answer: the whole line on the wire, and what a model reads of its text. */
export interface AnswerSize {
  readonly bytes: number;
  /** o200k tokens; null for a text so long that nobody gives it to a model. */
  readonly tokens: number | null;
}

/** A contestant that could not do the workload, and why in words. */
export interface Failure {
  readonly contestant: string;
  readonly reason: string;
}

/** All that came of one workload. */
export interface Measured {
  readonly rows: Row[];
  readonly failures: Failure[];
}

const LONG_SAMPLE_MS = 60_000;

/** Longer texts are not counted in tokens. */
const MOST_COUNTED = 200_000;

/** How often, warm-ups not counted. */
export interface MeasureOptions {
  readonly rounds: number;
  readonly warmUps: number;
  /** A sample longer than this many milliseconds is the only one of its contestant; a minute unless given. */
  readonly longSampleMs?: number;
}

/** Runs all contestants in turn; one that fails is left out from there on and its reason is kept. */
export async function measure(
  contestants: readonly Contestant[],
  { rounds, warmUps, longSampleMs = LONG_SAMPLE_MS }: MeasureOptions,
): Promise<Measured> {
  const failures: Failure[] = [];
  const samples = new Map<Runner, number[]>();
  const replies = new Map<Runner, Reply>();
  for (const contestant of contestants) {
    if ("run" in contestant) samples.set(contestant, []);
    else failures.push({ contestant: contestant.name, reason: contestant.reason });
  }
  const finished = new Set<Runner>();
  for (let round = -warmUps; round < rounds; round++) {
    for (const [runner, times] of samples) {
      if (finished.has(runner)) continue;
      try {
        const { ms, reply } = await sampleOnce(runner);
        if (round >= 0 || ms > longSampleMs) times.push(ms);
        if (ms > longSampleMs) finished.add(runner);
        if (reply !== undefined) replies.set(runner, reply);
      } catch (fault) {
        failures.push({ contestant: runner.name, reason: `failed: ${messageOf(fault)}` });
        samples.delete(runner);
      }
    }
  }
  const rows = [...samples].map(([runner, times]) => {
    const reply = replies.get(runner);
    return { ...summarize(runner.name, times), ...(reply === undefined ? {} : { answer: sizeOf(reply) }) };
  });
  return { rows, failures };
}

/** Reads each probe once; one that fails is left out and its reason is kept. */
export async function readProbes(probes: readonly Probe[]): Promise<Measured> {
  const [rows, failures]: [Row[], Failure[]] = [[], []];
  for (const { name, read } of probes) {
    try {
      rows.push(summarize(name, [await read()]));
    } catch (fault) {
      failures.push({ contestant: name, reason: `failed: ${messageOf(fault)}` });
    }
  }
  return { rows, failures };
}

/** The answer, and a look whether it holds `wanted`, so that nobody wins by doing nothing. */
export function answered(reply: Reply, wanted: string): Done {
  return {
    reply,
    settle: () => {
      if (!JSON.stringify(reply.result).includes(wanted)) throw new Error(`the answer does not hold ${wanted}`);
    },
  };
}

/** Median and 95th percentile of some samples. */
export function summarize(contestant: string, samples: readonly number[]): Row {
  return { contestant, p50: quantile(samples, 0.5), p95: quantile(samples, 0.95), samples: samples.length };
}

/** Nearest-rank quantile; NaN without samples. */
export function quantile(samples: readonly number[], at: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(at * sorted.length) - 1))] ?? NaN;
}

async function sampleOnce({ run, prepare, calls = 1 }: Runner): Promise<{ ms: number; reply?: Reply | undefined }> {
  await prepare?.();
  const startedAt = performance.now();
  let done: Done | void = undefined;
  for (let call = 0; call < calls; call++) done = await run();
  const ms = done?.ms ?? (performance.now() - startedAt) / calls;
  await done?.settle?.();
  return { ms, reply: done?.reply };
}

function sizeOf({ bytes, result }: Reply): AnswerSize {
  const text = textOf(result);
  return { bytes, tokens: text.length > MOST_COUNTED ? null : encode(text).length };
}
