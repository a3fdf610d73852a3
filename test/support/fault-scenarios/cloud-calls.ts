import assert from 'node:assert/strict';
import { reference, settlesAs, stage, type Scenario } from './stage.ts';

/** A fault that the simulator injects into a cloud call. */
export interface FaultCase {
  readonly title: string;
  readonly fault: object;
  /** The maximum number of additional calls compared with a run without the fault. Undefined for no limit. */
  readonly extra?: number;
}

/** Cases by their common trait. The first case of each is the simplest. Titles complete the sentence "the call …". */
export const CASES: Readonly<Record<string, readonly [FaultCase, ...FaultCase[]]>> = {
  'is lost in alternating ways': [
    { title: 'takes effect without a response', fault: { effect: 'cut-after-commit' } },
    { title: 'is lost before it takes effect', fault: { effect: 'cut-before-commit' } },
    { title: 'takes effect and never ends', fault: { effect: 'timeout-after-commit' } },
    { title: 'has no effect and never ends', fault: { effect: 'timeout-before-commit' } },
    { title: 'gets a truncated response', fault: { effect: 'cut-reply' } },
    { title: 'gets an HTML page as its response', fault: { effect: 'malformed-body' } },
    { title: 'takes effect ten seconds after its timeout', fault: { effect: 'late-commit', ms: 18_000 } },
    { title: 'takes effect a minute after its timeout', fault: { effect: 'late-commit', ms: 68_000 } },
  ],
  'is throttled to a varying extent': [
    { title: 'is throttled', fault: { effect: 'throttle' }, extra: 1 },
    { title: 'is throttled three times', fault: { effect: 'throttle', count: 3 }, extra: 3 },
    { title: 'is throttled for the whole window', fault: { effect: 'throttle', wholeWindow: true } },
  ],
  'gets a busy load balancer for some time': [
    { title: 'gets a busy load balancer', fault: { effect: 'busy' } },
    { title: 'gets a busy load balancer for ten seconds', fault: { effect: 'busy', ms: 10_000 } },
    { title: 'gets a busy load balancer for a minute', fault: { effect: 'busy', ms: 60_000 } },
  ],
  'gets an unexpected state of the cloud': [
    { title: 'gets an internal error', fault: { effect: 'reject', code: 'ServiceUnavailable' } },
    { title: 'gets three internal errors', fault: { effect: 'reject', code: 'InternalError', count: 3 } },
    { title: 'lacks the permission at first', fault: { effect: 'reject', code: 'Forbidden.RAM', count: 2 } },
    { title: 'gets lists that lag half a minute', fault: { effect: 'stale-list', ms: 30_000 } },
  ],
};

async function hitAt(scenario: Scenario, nth: number, fault: object) {
  const staged = await stage(scenario);
  staged.cluster.simulator.faults([{ ...fault, nth }]);
  scenario.act(staged.cluster);
  return staged;
}

/** Asserts the maximum number of calls before the next full read of the cloud. */
async function costs({ cluster, since }: Awaited<ReturnType<typeof hitAt>>, most: number): Promise<void> {
  await cluster.quiet(4 * 60_000);
  const calls = cluster.calls(since);
  assert.ok(calls.length <= most, `${calls.length} calls instead of at most ${most}: ${calls.join(', ')}`);
}

/** Repeats the scenario with a fault in each of its calls in turn. Each run must end as without faults. */
export async function sweepCalls(scenario: Scenario, caseAt: (nth: number) => FaultCase): Promise<void> {
  const expected = await reference(scenario);
  const { repeatedCalls = 0 } = scenario;
  for (let nth = 1; nth <= expected.calls.length; nth += 1) {
    const { title, fault, extra } = caseAt(nth);
    const staged = await hitAt(scenario, nth, fault);
    try {
      if (extra !== undefined) await costs(staged, expected.calls.length + extra * (1 + repeatedCalls));
      await settlesAs(staged, expected);
    } catch (error) {
      const call = `call ${nth} of ${expected.calls.length}, ${expected.calls[nth - 1]}`;
      throw new Error(`${call}: it ${title}`, { cause: error });
    }
  }
}
