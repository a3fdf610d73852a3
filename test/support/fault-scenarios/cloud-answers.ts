import assert from 'node:assert/strict';
import { reference, settlesAs, stage, type Scenario } from '../scenario.ts';

/** A fault that hits a call. */
export interface FaultCase {
  readonly sentence: string;
  readonly fault: object;
  /** Maximum number of additional calls compared with a run without the fault. Undefined for no limit. */
  readonly extra?: number;
}

/** Cases by their common trait. The first case of each is the simplest. */
export const CASES: Readonly<Record<string, readonly [FaultCase, ...FaultCase[]]>> = {
  'is lost in one way or another': [
    { sentence: 'its answer is lost after it took effect', fault: { effect: 'cut-after-commit' } },
    { sentence: 'it is lost on its way', fault: { effect: 'cut-before-commit' } },
    { sentence: 'its answer never comes although it took effect', fault: { effect: 'timeout-after-commit' } },
    { sentence: 'it is never heard of again', fault: { effect: 'timeout-before-commit' } },
    { sentence: 'its answer is cut in the middle', fault: { effect: 'cut-reply' } },
    { sentence: 'its answer is a page of HTML', fault: { effect: 'malformed-body' } },
    { sentence: 'it takes effect ten seconds after we gave up', fault: { effect: 'late-commit', ms: 18_000 } },
    { sentence: 'it takes effect a minute after we gave up', fault: { effect: 'late-commit', ms: 68_000 } },
  ],
  'is throttled more or less': [
    { sentence: 'it is throttled', fault: { effect: 'throttle' }, extra: 1 },
    { sentence: 'it is throttled three times', fault: { effect: 'throttle', count: 3 }, extra: 3 },
    { sentence: 'its window is closed', fault: { effect: 'throttle', wholeWindow: true } },
  ],
  'finds the load balancer busy for some time': [
    { sentence: 'the load balancer is busy', fault: { effect: 'busy' } },
    { sentence: 'the load balancer is busy for ten seconds', fault: { effect: 'busy', ms: 10_000 } },
    { sentence: 'the load balancer is busy for a minute', fault: { effect: 'busy', ms: 60_000 } },
  ],
  'finds the cloud not as it should be': [
    { sentence: 'the cloud is unwell', fault: { effect: 'refuse', code: 'ServiceUnavailable' } },
    { sentence: 'the cloud is unwell three times', fault: { effect: 'refuse', code: 'InternalError', count: 3 } },
    { sentence: 'permission is missing at first', fault: { effect: 'refuse', code: 'Forbidden.RAM', count: 2 } },
    { sentence: 'lists are half a minute behind', fault: { effect: 'stale-list', ms: 30_000 } },
  ],
};

async function hitAt(scenario: Scenario, nth: number, fault: object) {
  const staged = await stage(scenario);
  staged.cluster.simulator.faults([{ ...fault, nth }]);
  scenario.act(staged.cluster);
  return staged;
}

/** Asserts the number of calls before the next full read. */
async function costs({ cluster, since }: Awaited<ReturnType<typeof hitAt>>, most: number): Promise<void> {
  await cluster.quiet(4 * 60_000);
  const calls = cluster.calls(since);
  assert.ok(calls.length <= most, `${calls.length} calls instead of at most ${most}: ${calls.join(', ')}`);
}

/** Runs the scenario once for each call, with the fault that `caseAt` selects for the call. */
export async function sweepCalls(scenario: Scenario, caseAt: (nth: number) => FaultCase): Promise<void> {
  const expected = await reference(scenario);
  const { begunAgain = 0 } = scenario;
  for (let nth = 1; nth <= expected.calls.length; nth += 1) {
    const { sentence, fault, extra } = caseAt(nth);
    const staged = await hitAt(scenario, nth, fault);
    try {
      if (extra !== undefined) await costs(staged, expected.calls.length + extra * (1 + begunAgain));
      await settlesAs(staged, expected);
    } catch (error) {
      const call = `call ${nth} of ${expected.calls.length}, ${expected.calls[nth - 1]}`;
      throw new Error(`${call}, when ${sentence}`, { cause: error });
    }
  }
}
