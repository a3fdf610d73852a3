import { caseOf } from './case.ts';
import { examine } from './examine.ts';
import { openWire } from './wire.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** The first case; the run goes on from there. */
  readonly from?: number;
  readonly count: number;
  /** How many cases are told of while it runs. */
  readonly onProgress?: (done: number) => void;
}

export interface FuzzReport {
  readonly seconds: number;
  readonly overTheWire: number;
  /** The longest that one review took in this process. */
  readonly slowestMs: number;
  /** How often each decision came. */
  readonly decisions: Readonly<Record<string, number>>;
  /** What went wrong, with the number of the case; not more than twenty, then it ends. */
  readonly complaints: readonly string[];
}

/** One in so many cases goes over the wire as well. */
const WIRE_EVERY = 100;
const PROGRESS_EVERY = 100_000;
const MOST_COMPLAINTS = 20;

/** Sends generated reviews to the webhook, and compares its verdicts with what is known from outside. */
export async function fuzz({ seed, from = 0, count, onProgress }: FuzzOptions): Promise<FuzzReport> {
  await using wire = await openWire();
  const since = performance.now();
  const decisions: Record<string, number> = {};
  const complaints: string[] = [];
  let [slowestMs, overTheWire] = [0, 0];
  for (let number = from; number < from + count && complaints.length < MOST_COMPLAINTS; number++) {
    const one = caseOf(seed, number);
    const { complaint, ms, decision } = examine(one);
    decisions[decision] = (decisions[decision] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, ms);
    if (complaint !== undefined) complaints.push(`case ${number}: ${complaint}`);
    if (complaint === undefined && number % WIRE_EVERY === 0) {
      overTheWire += 1;
      const wrong = await wire.complaint(one);
      if (wrong !== undefined) complaints.push(`case ${number}: ${wrong}`);
    }
    const done = number - from + 1;
    if (done % PROGRESS_EVERY === 0) onProgress?.(done);
  }
  return { seconds: (performance.now() - since) / 1_000, overTheWire, slowestMs, decisions, complaints };
}
