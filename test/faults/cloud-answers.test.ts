import assert from 'node:assert/strict';
import { reference, SCENARIOS, settlesAs, stage, type Scenario } from '../support/scenario.ts';

interface FaultCase {
  readonly sentence: string;
  readonly fault: object;
  /** Calls beyond those of a run without the fault; unlimited when absent. */
  readonly extra?: number;
}

const CASES: readonly FaultCase[] = [
  { sentence: 'its answer is lost after it took effect', fault: { effect: 'cut-after-commit' } },
  { sentence: 'it is lost on its way', fault: { effect: 'cut-before-commit' } },
  { sentence: 'its answer never comes although it took effect', fault: { effect: 'timeout-after-commit' } },
  { sentence: 'it is never heard of again', fault: { effect: 'timeout-before-commit' } },
  { sentence: 'its answer is cut in the middle', fault: { effect: 'cut-reply' } },
  { sentence: 'its answer is a page of HTML', fault: { effect: 'malformed-body' } },
  { sentence: 'it takes effect ten seconds after we gave up', fault: { effect: 'late-commit', ms: 18_000 } },
  { sentence: 'it takes effect a minute after we gave up', fault: { effect: 'late-commit', ms: 68_000 } },
  { sentence: 'it is throttled', fault: { effect: 'throttle' }, extra: 1 },
  { sentence: 'it is throttled three times', fault: { effect: 'throttle', count: 3 }, extra: 3 },
  { sentence: 'its window is closed', fault: { effect: 'throttle', wholeWindow: true } },
  { sentence: 'the load balancer is busy', fault: { effect: 'busy' } },
  { sentence: 'the load balancer is busy for ten seconds', fault: { effect: 'busy', ms: 10_000 } },
  { sentence: 'the load balancer is busy for a minute', fault: { effect: 'busy', ms: 60_000 } },
  { sentence: 'the cloud is unwell', fault: { effect: 'refuse', code: 'ServiceUnavailable' } },
  { sentence: 'the cloud is unwell three times', fault: { effect: 'refuse', code: 'InternalError', count: 3 } },
  { sentence: 'permission is missing at first', fault: { effect: 'refuse', code: 'Forbidden.RAM', count: 2 } },
  { sentence: 'lists are half a minute behind', fault: { effect: 'stale-list', ms: 30_000 } },
];

async function hitAt(scenario: Scenario, nth: number, fault: object) {
  const staged = await stage(scenario);
  staged.cluster.simulator.faults([{ ...fault, nth }]);
  scenario.act(staged.cluster);
  return staged;
}

/** Before any audit is due. */
async function costs({ cluster, since }: Awaited<ReturnType<typeof hitAt>>, calls: number): Promise<void> {
  await cluster.quiet(4 * 60_000);
  assert.equal(cluster.calls(since).length, calls, `more was called: ${cluster.calls(since).join(', ')}`);
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  describe(`a ${name} reaches the same end whichever call is hit`, () => {
    for (const { sentence, fault, extra } of CASES) {
      it(`when ${sentence}`, async function () {
        this.timeout(60_000);
        const expected = await reference(scenario);
        for (let nth = 1; nth <= expected.calls.length; nth += 1) {
          const staged = await hitAt(scenario, nth, fault);
          try {
            if (extra !== undefined) await costs(staged, expected.calls.length + extra);
            await settlesAs(staged, expected);
          } catch (error) {
            throw new Error(`call ${nth} of ${expected.calls.length}, ${expected.calls[nth - 1]}`, { cause: error });
          }
        }
      });
    }
  });
}
