import assert from 'node:assert/strict';
import type { Fault } from '../../../../src/local/simulator/fault.ts';
import { nodeBench, podRange, registered } from '../../../support/node-fixture.ts';

const MINUTE = 60_000;

const withRange = (index: number): object => registered(index, { podCIDR: podRange(index) });
/** The route of a Node, and enough stale routes for two pages. */
const ENTRIES = [
  { destination: podRange(1), nextHopId: 'i-1' },
  ...Array.from({ length: 150 }, (_, index) => ({ destination: podRange(100 + index), nextHopId: 'i-3' })),
];
const FAULTS: Readonly<Record<string, Partial<Fault>>> = {
  'is rejected': { effect: 'reject', code: 'ServiceUnavailable', status: 503 },
  'is not answered': { effect: 'timeout-before-commit' },
  'is throttled': { effect: 'throttle' },
  'has a response of another kind': { effect: 'malformed-body' },
};

/** A route on an unread page is not missing, so a deletion on the basis of a partial read could cut off pods. */
describe('a table with an unread page', () => {
  for (const [page, nth] of [
    ['first', 1],
    ['second', 2],
  ] as const)
    for (const [what, fault] of Object.entries(FAULTS))
      it(`keeps its routes while the ${page} page ${what}, and loses stale routes afterwards`, async () => {
        await using bench = nodeBench({ world: { routeTables: [{ id: 'vtb-1', vpcId: 'vpc-1', entries: ENTRIES }] } });
        const pages = () => bench.simulator.journal(0).filter(({ action }) => action === 'DescribeRouteEntryList');
        /** Pages that were read before the first route was deleted. */
        let before: ReturnType<typeof pages> | undefined;
        bench.simulator.faults([{ ...fault, action: 'DescribeRouteEntryList', nth, count: 4 }]);
        bench.put(withRange(1));
        bench.start({
          onCall: async (action) => {
            if (action === 'DeleteRouteEntries') before ??= pages();
          },
        });
        await bench.clock.advance(10 * MINUTE);
        assert.ok(before !== undefined && before.length >= 6, `routes were deleted after ${before?.length} pages`);
        const isWhole = before.slice(-2).every(({ fault: hit, outcome }) => hit === undefined && outcome === 'OK');
        assert.ok(isWhole, 'routes were deleted after a page that was not read');
        assert.equal(bench.simulator.world.routeTables.get('vtb-1')?.entries.size, 1);
      });
});
