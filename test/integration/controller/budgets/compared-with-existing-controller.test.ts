import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALL_BUDGETS } from '../../../support/call-budgets.ts';
import { aCluster, SERVICES } from '../../../support/simulated-cluster.ts';
import { aService } from '../../../support/service.ts';

const TAKING_OVER = readFileSync(join(import.meta.dirname, '../../../../docs/tasks/migrate.md'), 'utf8');
const MINUTE_MS = 60_000;
const COUNT = 20;
/** A prime number above `COUNT`, so that Services get distinct random values, even if each Service draws several values. */
const STEPS = 23;

/** Compares the calls with the table in the documentation, so that the table stays true. */
describe('the calls to the cloud, compared with the existing controller,', function () {
  this.timeout(60_000);

  for (const { id, scenario, existing, isMeasured, ours, limit, count } of CALL_BUDGETS) {
    it(`are ${ours} for ${id}, as documented: ${scenario}`, async () => {
      assert.equal(await count(), ours);
      assert.ok(ours <= limit);
      const source = isMeasured === true ? 'measured' : 'counted';
      const row = `| ${scenario} | ${existing}, ${source} | ${ours} |`;
      assert.ok(TAKING_OVER.includes(row), `docs/tasks/migrate.md lacks: ${row}`);
    });
  }

  it('read each Service once in the two hours after a restart, and change nothing', async () => {
    const cluster = aCluster({ cloudSettings: { loadBalancers: COUNT } });
    const first = cluster.start();
    for (let index = 0; index < COUNT; index += 1)
      cluster.kubernetes.put(SERVICES, aService({ name: `s${index}`, uid: `uid-${index}`, ports: [80, 443] }));
    await cluster.quiet(2 * MINUTE_MS);
    await first.stop();
    let requests = 0;
    const random = (): number => (((requests += 1) % STEPS) + 0.5) / STEPS;
    const process = cluster.start({ random });
    const since = cluster.simulator.journal().length;
    const writes = cluster.kubernetes.writes.length;
    const perMinute: number[] = [];
    for (let minute = 0; minute < 120; minute += 1) {
      const before = cluster.calls(since).length;
      await cluster.quiet(MINUTE_MS);
      perMinute.push(cluster.calls(since).length - before);
    }
    const counts = Object.entries(Object.groupBy(cluster.calls(since), (action) => action));
    assert.deepEqual(Object.fromEntries(counts.map(([action, calls]) => [action, calls?.length])), {
      DescribeLoadBalancerAttribute: COUNT,
      DescribeLoadBalancerListeners: COUNT,
      DescribeVServerGroups: COUNT,
      DescribeVServerGroupAttribute: 2 * COUNT,
    });
    assert.ok(Math.max(...perMinute) <= 2 * 5, `${Math.max(...perMinute)} calls in a minute`);
    assert.equal(cluster.kubernetes.writes.length, writes);
    await process.stop();
  });
});
