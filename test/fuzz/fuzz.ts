import { caseOf } from './case.ts';
import { examine } from './review-check.ts';
import { openWire } from './wire.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** The number of the first case. */
  readonly from?: number;
  readonly count: number;
  /** Called with the number of finished cases. */
  readonly onProgress?: (done: number) => void;
}

export interface FuzzReport {
  readonly seconds: number;
  /** The number of reviews that were also sent to a server over TLS. */
  readonly overTheWire: number;
  /** Maximum milliseconds of one review in this process. */
  readonly slowestMs: number;
  /** The number of reviews by decision. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Failures with the number of the case. The run ends after twenty. */
  readonly failures: readonly string[];
}

/** Every hundredth case is also sent to a server over TLS. */
const WIRE_EVERY = 100;
const PROGRESS_EVERY = 100_000;
const MOST_FAILURES = 20;

/** Sends generated reviews to the webhook, and compares its decisions with annotation-facts.json. `make fuzz` and the suite fuzz call it. */
export async function fuzz({ seed, from = 0, count, onProgress }: FuzzOptions): Promise<FuzzReport> {
  await using wire = await openWire();
  const since = performance.now();
  const decisions: Record<string, number> = {};
  const failures: string[] = [];
  let [slowestMs, overTheWire] = [0, 0];
  for (let number = from; number < from + count && failures.length < MOST_FAILURES; number++) {
    const one = caseOf(seed, number);
    const { failure, ms, decision } = examine(one);
    decisions[decision] = (decisions[decision] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, ms);
    if (failure !== undefined) failures.push(`case ${number}: ${failure}`);
    if (failure === undefined && number % WIRE_EVERY === 0) {
      overTheWire += 1;
      const wrong = await wire.failure(one);
      if (wrong !== undefined) failures.push(`case ${number}: ${wrong}`);
    }
    const done = number - from + 1;
    if (done % PROGRESS_EVERY === 0) onProgress?.(done);
  }
  return { seconds: (performance.now() - since) / 1_000, overTheWire, slowestMs, decisions, failures };
}
