import assert from 'node:assert/strict';
import { AN_AUDIT_MS } from '../../support/cluster.ts';
import { annotated, apply, events, loadBalancers, messageOf, patch, running, standing } from '../../support/running.ts';
import { ruled } from '../../support/ruled.ts';
import { aService } from '../../support/service.ts';

const MANY = Array.from({ length: 100 }, (_, at) => at + 1);
const CREATION = 'CreateLoadBalancerTCPListener';

describe('a Service with more ports than a load balancer can have listeners, stored while the webhook was away', () => {
  it('is served on as many as there is room for, and asks the cloud for no other, ever', async () => {
    const run = await running();
    await apply(run, { ports: MANY });
    const [balancer] = loadBalancers(run);
    assert.deepEqual([balancer?.listeners.length, balancer?.serverGroups.length], [50, 50]);
    assert.equal(standing(run)[1], 'QuotaExceeded');
    const beyond = /no room for ports 51, 52, 53, 54, 55 and 45 more; move them to another Service/;
    assert.match(messageOf(run), beyond);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', beyond);
    await run.cluster.quiet(AN_AUDIT_MS);
    const asked = run.cluster.calls().filter((action) => [CREATION, 'CreateVServerGroup'].includes(action));
    assert.equal(asked.length, 100);
    await run.process.stop();
  });

  it('takes no more than what others have left of a load balancer of people', async () => {
    const listeners = MANY.slice(0, 45).map((at) => ({ port: 20_000 + at, protocol: 'tcp' }));
    const run = await running({}, { loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.1', listeners }] });
    const annotations = annotated({ id: 'lb-a', 'force-override-listeners': 'true' });
    await apply(run, { ports: MANY, annotations });
    assert.deepEqual(
      [loadBalancers(run)[0]?.listeners.length, loadBalancers(run)[0]?.serverGroups.length, standing(run)[1]],
      [50, 5, 'QuotaExceeded'],
    );
    await run.process.stop();
  });

  it('has other ports in place of some at once, and no call refused', async () => {
    const run = await running();
    const { cluster } = run;
    await apply(run, { ports: MANY.slice(0, 50) });
    const since = cluster.journal().length;
    await patch(run, { spec: aService({ ports: MANY.slice(5, 55) }).spec });
    assert.deepEqual([loadBalancers(run)[0]?.listeners.length, standing(run)[0]], [50, 'True']);
    const refused = cluster
      .journal()
      .slice(since)
      .filter(({ outcome }) => outcome !== 'OK');
    assert.deepEqual([refused, events(run, 'SyncLoadBalancerFailed')], [[], []]);
    await run.process.stop();
  });

  it('asks for all where the rule only warns, as the account may have another quota', async () => {
    const { run, lift } = await ruled({ rules: [{ rule: 'listener-quota', mode: 'warn' }] });
    await apply(run, { ports: MANY.slice(0, 52) });
    const asked = () => run.cluster.calls().filter((action) => action === CREATION).length;
    assert.deepEqual([loadBalancers(run)[0]?.listeners.length, standing(run)[1]], [50, 'QuotaExceeded']);
    assert.match(messageOf(run), /CreateLoadBalancerTCPListener: /);
    await lift();
    await run.cluster.quiet(10 * 60_000);
    const before = asked();
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([asked() - before, before > 50], [0, true]);
    assert.match(messageOf(run), /no room for ports 51, 52;/);
    await run.process.stop();
  });
});
