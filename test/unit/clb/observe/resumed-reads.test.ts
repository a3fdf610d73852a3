import assert from 'node:assert/strict';
import type { LoadBalancerId } from '../../../../src/clb/model/ids.ts';
import type { ClbApi } from '../../../../src/clb/model/api.ts';
import {
  answersForRetry,
  noAnswers,
  resumedReads,
  type ReadAnswers,
} from '../../../../src/clb/observe/resumed-reads.ts';
import type { CallContext } from '../../../../src/plan/call.ts';

const ID = 'lb-1' as LoadBalancerId;
const OWNED = { kind: 'owned' } as const;
const REUSED = { kind: 'reused', id: ID, overrideListeners: false } as const;
const CONTEXT: CallContext = { signal: new AbortController().signal, lane: 'change', namespace: 'demo' };

/** Returns an API that counts its calls and knows no load balancer. */
function counting(): { readonly api: ClbApi; readonly calls: () => number } {
  let calls = 0;
  const read = (): Promise<undefined> => {
    calls += 1;
    return Promise.resolve(undefined);
  };
  return { api: { read } as Partial<ClbApi> as ClbApi, calls: () => calls };
}

/** Reads the load balancer in several reconciles. Returns the number of calls of the last. */
async function callsOf(uses: readonly (typeof OWNED | typeof REUSED)[], answers: ReadAnswers): Promise<number> {
  const { api, calls } = counting();
  for (const use of uses) await resumedReads(api, use, answers).read(ID, CONTEXT);
  return calls();
}

describe('a retry', () => {
  const rows = {
    'repeats no read of a throttled reconcile': { isThrottled: true, uses: [OWNED], calls: 0 },
    'repeats reads after any other failure': { isThrottled: false, uses: [OWNED], calls: 1 },
    'repeats reads for another purpose': { isThrottled: true, uses: [REUSED], calls: 1 },
    'repeats reads for a second read in a reconcile': { isThrottled: true, uses: [OWNED, OWNED], calls: 1 },
  } as const;
  for (const [title, { isThrottled, uses, calls }] of Object.entries(rows)) {
    it(title, async () => {
      const first = noAnswers();
      await callsOf([OWNED], first);
      assert.equal(await callsOf(uses, answersForRetry(first, isThrottled)), calls);
    });
  }

  it('keeps the reads of two throttled reconciles', async () => {
    const first = noAnswers();
    await callsOf([OWNED], first);
    const second = answersForRetry(first, true);
    await callsOf([OWNED], second);
    assert.equal(await callsOf([OWNED], answersForRetry(second, true)), 0);
  });
});
