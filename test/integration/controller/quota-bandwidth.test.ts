import assert from 'node:assert/strict';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/resource.ts';
import { keyOf, objectKey, SERVICES } from '../../../src/objects.ts';
import type { Quota } from '../../../src/policy/resource.ts';
import { READY } from '../../support/bindings.ts';
import { listenersOf, other, quota, SHARED, usageOf, USING } from '../../support/quota-stories.ts';
import { ports, ruled } from '../../support/ruled.ts';
import { annotated, apply, loadBalancers, patch, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

describe('a quota on bandwidth, of a user-managed load balancer', () => {
  const SEED = {
    loadBalancers: [
      { ...SHARED.loadBalancers[0], instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
      { id: 'lb-inner', address: '10.0.0.9', addressType: 'intranet', spec: 'slb.s1.small' },
    ],
  };
  const paying = (bandwidth: string) => annotated({ 'charge-type': 'paybybandwidth', bandwidth });
  const begin = (limits: Partial<Quota>) => ruled(quota(limits), SEED, { controllers: ['service', 'inventory'] });
  const paidOf = (run: Running) => {
    const { internetChargeType, bandwidth } = loadBalancers(run).find(({ id }) => id === 'lb-shared') ?? {};
    return [internetChargeType, bandwidth];
  };
  const mirrorWrites = ({ cluster }: Running): number =>
    cluster.kubernetes.writes.filter(({ plural }) => plural === 'classicloadbalancers').length;

  it('admits as much as the limit, and records what was admitted', async () => {
    const { run } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...paying('5000') } });
    assert.deepEqual([paidOf(run), standing(run)[1]], [['paybytraffic', 5120], 'QuotaExceeded']);
    await patch(run, { metadata: { annotations: paying('60') } });
    assert.deepEqual([paidOf(run), standing(run), usageOf(run)?.bandwidth], [['paybybandwidth', 60], READY, 60]);
    await patch(run, { metadata: { annotations: paying('101') } });
    assert.deepEqual([paidOf(run), standing(run)[1]], [['paybybandwidth', 60], 'QuotaExceeded']);
    await run.process.stop();
  });

  it('takes nothing away when the limit is lowered, and admits less', async () => {
    const { run, enforce } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...paying('80') } });
    await enforce(quota({ bandwidth: 50, listeners: 5 }));
    await patch(run, { spec: { ports: ports(80, 81) } });
    assert.deepEqual([paidOf(run), listenersOf(run), standing(run)], [['paybybandwidth', 80], [80, 81], READY]);
    await patch(run, { metadata: { annotations: paying('70') } });
    assert.deepEqual([paidOf(run), standing(run)], [['paybybandwidth', 70], READY]);
    await run.process.stop();
  });

  it('does not count the bandwidth of a load balancer that is not on the internet', async () => {
    const { run } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...annotated({ id: 'lb-inner' }), ...paying('200') } });
    assert.deepEqual([listenersOf(run), standing(run)], [[80], READY]);
    await apply(run, other([90], paying('50')));
    assert.deepEqual(standing(run, 'api'), READY);
    await run.process.stop();
  });

  it('is shown by the mirror at once, with one write', async () => {
    const { run } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...paying('80') } });
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { annotations: paying('40') } });
    const writes = mirrorWrites(run);
    await run.cluster.quiet(15_000);
    const { status } = run.cluster.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-shared')) ?? {};
    assert.deepEqual([status?.bandwidth, mirrorWrites(run)], [40, writes + 1]);
    await run.cluster.quiet(20 * 60_000);
    assert.equal(mirrorWrites(run), writes + 1);
    await run.process.stop();
  });
});
