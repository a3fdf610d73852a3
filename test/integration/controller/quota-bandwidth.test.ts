import assert from 'node:assert/strict';
import { AUDIT_PERIOD_MS } from '../../../src/controller/service/state/service-state.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import { keyOf, objectKey, SERVICES } from '../../../src/base/kubernetes-objects.ts';
import type { Quota } from '../../../src/policy/custom-resources.ts';
import { READY } from '../../support/bindings.ts';
import {
  annotate,
  BY_BANDWIDTH,
  listenersOf,
  other,
  quota,
  SHARED,
  usageOf,
  USING,
} from '../../support/quota-cases.ts';
import { ports, ruled } from '../../support/policy-controller.ts';
import {
  annotated,
  apply,
  loadBalancers,
  patch,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

/** Bandwidth costs money. A quota must count the bandwidth that exists, also if it is not in the annotations. */
describe('a bandwidth quota for a user-managed load balancer', () => {
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
  const inventoryWrites = ({ cluster }: Running): number =>
    cluster.kubernetes.writes.filter(({ plural }) => plural === 'classicloadbalancers').length;

  it('admits bandwidth up to the limit, and records the admitted amount', async () => {
    const { run } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...paying('5000') } });
    assert.deepEqual([paidOf(run), statusAndReason(run)[1]], [['paybytraffic', 5120], 'QuotaExceeded']);
    await patch(run, { metadata: { annotations: paying('60') } });
    assert.deepEqual([paidOf(run), statusAndReason(run), usageOf(run)?.bandwidth], [['paybybandwidth', 60], READY, 60]);
    await patch(run, { metadata: { annotations: paying('101') } });
    assert.deepEqual([paidOf(run), statusAndReason(run)[1]], [['paybybandwidth', 60], 'QuotaExceeded']);
    await run.process.stop();
  });

  it('removes nothing for a lowered limit, and admits a reduction that still exceeds the limit', async () => {
    const { run, enforce } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...paying('80') } });
    await enforce(quota({ bandwidth: 50, listeners: 5 }));
    await patch(run, { spec: { ports: ports(80, 81) } });
    assert.deepEqual([paidOf(run), listenersOf(run), statusAndReason(run)], [['paybybandwidth', 80], [80, 81], READY]);
    await patch(run, { metadata: { annotations: paying('70') } });
    assert.deepEqual([paidOf(run), statusAndReason(run)], [['paybybandwidth', 70], READY]);
    await run.process.stop();
  });

  it('does not count the bandwidth of an intranet load balancer', async () => {
    const { run } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...annotated({ id: 'lb-inner' }), ...paying('200') } });
    assert.deepEqual([listenersOf(run), statusAndReason(run)], [[80], READY]);
    await apply(run, other([90], paying('50')));
    assert.deepEqual(statusAndReason(run, 'api'), READY);
    await run.process.stop();
  });

  it('admits a lower bandwidth, which the inventory shows at once with one write', async () => {
    const { run } = await begin({ bandwidth: 100 });
    await apply(run, { annotations: { ...USING, ...paying('80') } });
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { annotations: paying('40') } });
    const writes = inventoryWrites(run);
    await run.cluster.quiet(15_000);
    const { status } = run.cluster.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-shared')) ?? {};
    assert.deepEqual([status?.bandwidth, inventoryWrites(run)], [40, writes + 1]);
    await run.cluster.quiet(20 * 60_000);
    assert.equal(inventoryWrites(run), writes + 1);
    await run.process.stop();
  });
});

describe('a bandwidth quota for a Service without an amount in its annotations', () => {
  const UNSAID = annotate({ 'charge-type': 'paybybandwidth', bandwidth: null });
  const begin = () => ruled(quota({ bandwidth: 100 }), SHARED, { controllers: ['service', 'inventory'] });
  const paid = (run: Running): number =>
    loadBalancers(run).reduce(
      (sum, { internetChargeType, bandwidth }) => sum + (internetChargeType === 'paybybandwidth' ? bandwidth : 0),
      0,
    );

  it('counts bandwidth kept while charged by traffic if charging by bandwidth is requested again', async () => {
    const { run } = await begin();
    await apply(run, { annotations: BY_BANDWIDTH });
    await patch(run, annotate({ 'charge-type': 'paybytraffic', bandwidth: null }));
    await apply(run, other([90], BY_BANDWIDTH));
    assert.deepEqual([paid(run), usageOf(run)?.bandwidth, statusAndReason(run, 'api')], [100, 0, READY]);
    await patch(run, UNSAID);
    assert.deepEqual([paid(run), statusAndReason(run)[1]], [100, 'QuotaExceeded']);
    await patch(run, { spec: { type: 'ClusterIP' } }, aService(other()));
    assert.deepEqual([paid(run), usageOf(run)?.bandwidth, statusAndReason(run)], [100, 100, READY]);
    await run.process.stop();
  });

  it('counts no bandwidth when the owned load balancer is charged by use', async () => {
    const { run } = await begin();
    await apply(run, { annotations: { ...BY_BANDWIDTH, ...annotated({ 'instance-charge-type': 'PayBySpec' }) } });
    assert.deepEqual([paid(run), usageOf(run)?.bandwidth], [100, 100]);
    await patch(run, annotate({ 'charge-type': null, bandwidth: null, 'instance-charge-type': 'PayByCLCU' }));
    assert.deepEqual([paid(run), usageOf(run)?.bandwidth, statusAndReason(run)], [0, 0, READY]);
    await apply(run, other([90], BY_BANDWIDTH));
    assert.deepEqual([paid(run), statusAndReason(run, 'api')], [100, READY]);
    await run.process.stop();
  });

  it('finds no bandwidth in the inventory when the owned load balancer is charged by use', async () => {
    const { run } = await begin();
    await apply(run, { annotations: { ...BY_BANDWIDTH, ...annotated({ 'instance-charge-type': 'PayBySpec' }) } });
    await run.cluster.quiet(75_000);
    const shown = (): number =>
      run.cluster.kubernetes.all(CLASSIC_LOAD_BALANCERS).reduce((sum, { status }) => sum + (status?.bandwidth ?? 0), 0);
    assert.equal(shown(), 100);
    const change = annotate({ 'charge-type': null, bandwidth: null, 'instance-charge-type': 'PayByCLCU' });
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), change);
    await run.cluster.quiet(2_000);
    assert.deepEqual([paid(run), shown()], [0, 0]);
    await run.process.stop();
  });

  it('counts the bandwidth that a user-managed load balancer has', async () => {
    const { run } = await begin();
    await apply(run, { annotations: USING });
    await patch(run, UNSAID);
    assert.deepEqual([paid(run), statusAndReason(run)[1]], [0, 'QuotaExceeded']);
    await run.process.stop();
  });

  it('counts the bandwidth that the cloud gives a new load balancer', async () => {
    const { run } = await begin();
    await apply(run, { annotations: annotated({ 'charge-type': 'paybybandwidth' }) });
    assert.deepEqual([paid(run), usageOf(run)?.bandwidth], [1, 1]);
    await apply(run, other([90], BY_BANDWIDTH));
    assert.deepEqual([paid(run), statusAndReason(run, 'api')[1]], [1, 'QuotaExceeded']);
    await run.process.stop();
  });

  it('counts the charge that users change at the console, after the next audit', async () => {
    const { run } = await begin();
    await apply(run, { annotations: annotated({ 'instance-charge-type': 'PayBySpec' }) });
    const LoadBalancerId =
      loadBalancers(run).find(({ tags }) => tags['kubernetes.do.not.delete'] !== undefined)?.id ?? '';
    const change = { InternetChargeType: 'paybybandwidth', Bandwidth: 60 };
    await run.cluster.ask('ModifyLoadBalancerInternetSpec', { LoadBalancerId, ...change });
    await run.cluster.quiet(AUDIT_PERIOD_MS);
    await apply(run, other([90], BY_BANDWIDTH));
    assert.deepEqual([usageOf(run)?.bandwidth, statusAndReason(run, 'api')[1]], [60, 'QuotaExceeded']);
    await run.process.stop();
  });

  const KEPT: Readonly<Record<string, object>> = {
    'it is no longer requested': annotate({ 'charge-type': null, bandwidth: null }),
    'the amount is no longer requested': annotate({ bandwidth: null }),
    'another load balancer is requested': annotate({ id: 'lb-two' }),
  };
  for (const [when, change] of Object.entries(KEPT)) {
    it(`counts the bandwidth that the Service added to a user-managed load balancer, even if ${when}`, async () => {
      const { run } = await begin();
      await apply(run, { annotations: { ...USING, ...BY_BANDWIDTH } });
      await patch(run, change);
      assert.deepEqual([paid(run), usageOf(run)?.bandwidth], [100, 100]);
      await apply(run, other([90], BY_BANDWIDTH));
      assert.deepEqual([paid(run), statusAndReason(run, 'api')[1]], [100, 'QuotaExceeded']);
      await run.process.stop();
    });
  }
});
