import assert from 'node:assert/strict';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/resource.ts';
import { objectKey, SERVICES } from '../../../src/objects.ts';
import type { Quota } from '../../../src/policy/resource.ts';
import { quotas } from '../../support/quotas.ts';
import { ports, ruled } from '../../support/ruled.ts';
import { aService } from '../../support/service.ts';
import { annotated, apply, loadBalancers, patch, standing, type Running } from '../../support/running.ts';

const ID = 'lb-shared';
const SEED = {
  loadBalancers: [
    { id: ID, address: '47.1.1.1', addressType: 'internet', instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
    { id: 'lb-inner', address: '10.0.0.9', addressType: 'intranet', spec: 'slb.s1.small' },
  ],
};
const REUSING = annotated({ id: ID, 'force-override-listeners': 'true' });
const byBandwidth = (bandwidth: string) => annotated({ 'charge-type': 'paybybandwidth', bandwidth });
const READY = ['True', 'EnsuredLoadBalancer'];
const OTHER_UID = '7c2f3d5e-91ab-4e8a-8f0c-2b6d1a9e4c37';
/** Less than from one pass over the region to the next. */
const MOMENT_MS = 15_000;

const start = (limits: Partial<Quota>) => ruled(quotas(limits), SEED, { controllers: ['service', 'inventory'] });
const paidOf = (run: Running) => {
  const { internetChargeType, bandwidth } = loadBalancers(run).find(({ id }) => id === ID) ?? {};
  return [internetChargeType, bandwidth];
};
const portsOf = (run: Running, of = ID) =>
  loadBalancers(run)
    .find(({ id }) => id === of)
    ?.listeners.map(({ port }) => port);
const mirrored = ({ cluster }: Running) =>
  cluster.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey(ID))?.status?.bandwidth;

const writesOf = ({ cluster }: Running): number =>
  cluster.kubernetes.writes.filter(({ plural }) => plural === 'classicloadbalancers').length;

describe('a quota on bandwidth, of a load balancer that is reused', () => {
  it('lets nobody ask for more than there may be, and counts what is let have', async () => {
    const { run } = await start({ bandwidth: 100 });
    await apply(run, { annotations: { ...REUSING, ...byBandwidth('5000') } });
    assert.deepEqual([paidOf(run), standing(run)[1]], [['paybytraffic', 5120], 'InvalidObject']);
    await patch(run, { metadata: { annotations: byBandwidth('60') } });
    assert.deepEqual([paidOf(run), standing(run)], [['paybybandwidth', 60], READY]);
    await patch(run, { metadata: { annotations: byBandwidth('101') } });
    assert.deepEqual([paidOf(run), standing(run)[1]], [['paybybandwidth', 60], 'Policy']);
    await run.process.stop();
  });

  it('takes nothing from one that has more than may be newly had, and lets it have what is not more', async () => {
    const { run, enforce } = await start({ bandwidth: 100 });
    await apply(run, { annotations: { ...REUSING, ...byBandwidth('80') } });
    await enforce(quotas({ bandwidth: 50, listeners: 5 }));
    await patch(run, { spec: { ports: ports(80, 81) } });
    assert.deepEqual([paidOf(run), portsOf(run), standing(run)], [['paybybandwidth', 80], [80, 81], READY]);
    await patch(run, { metadata: { annotations: byBandwidth('70') } });
    assert.deepEqual([paidOf(run), standing(run)], [['paybybandwidth', 70], READY]);
    await run.process.stop();
  });

  it('does not count what does not apply, as it is not on the internet', async () => {
    const { run } = await start({ bandwidth: 100 });
    await apply(run, { annotations: { ...REUSING, ...annotated({ id: 'lb-inner' }), ...byBandwidth('200') } });
    assert.deepEqual([portsOf(run, 'lb-inner'), standing(run)], [[80], READY]);
    const other = aService({ name: 'api', uid: OTHER_UID, ports: [90], annotations: byBandwidth('50') });
    run.cluster.kubernetes.put(SERVICES, other);
    await run.cluster.quiet(MOMENT_MS);
    assert.deepEqual(standing(run, 'api'), READY);
    await run.process.stop();
  });

  it('is followed by the mirror at once, and written once', async () => {
    const { run } = await start({ bandwidth: 100 });
    await apply(run, { annotations: { ...REUSING, ...byBandwidth('80') } });
    run.cluster.kubernetes.patch(SERVICES, objectKey('web', 'shop'), { metadata: { annotations: byBandwidth('40') } });
    const writes = writesOf(run);
    await run.cluster.quiet(MOMENT_MS);
    assert.deepEqual([mirrored(run), writesOf(run)], [40, writes + 1]);
    await run.cluster.quiet(20 * 60_000);
    assert.equal(writesOf(run), writes + 1);
    await run.process.stop();
  });
});
