import assert from 'node:assert/strict';
import { keyOf } from '../../../../src/base/kubernetes-objects.ts';
import { correctInventory } from '../../../../src/controller/service/inventory-updates.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../../src/inventory/custom-resources.ts';
import { rootLogger } from '../../../../src/base/log.ts';
import { anObserved, LB_ID } from '../../../support/clb-objects.ts';
import { aService } from '../../../support/service.ts';
import { aClb } from '../../../support/inventory.ts';
import { KubernetesDouble } from '../../../support/kubernetes-double.ts';

const OWN = { port: 81, protocol: 'tcp', service: keyOf(aService()) } as const;
const OTHER = { port: 90, protocol: 'tcp', service: 'shop/other' } as const;

/** Returns the listeners in the inventory after a correction, which removes the listeners of the Service from the cached object. */
async function corrected(isOutdated: boolean) {
  const kubernetes = new KubernetesDouble();
  const cached = kubernetes.put(CLASSIC_LOAD_BALANCERS, aClb(LB_ID, { listeners: [OWN, OTHER] }));
  if (isOutdated) kubernetes.put(CLASSIC_LOAD_BALANCERS, aClb(LB_ID, { listeners: [OWN] }));
  const { writer, classicLoadBalancers } = kubernetes.connect();
  await correctInventory(
    aService(),
    { observed: anObserved({ listeners: [] }), invalidated: new Set() },
    {
      caches: { classicLoadBalancers: { ...classicLoadBalancers, get: () => cached } },
      ...{ writer, settings: { clusterId: 'c1', vpcId: 'vpc-1' }, protectedIds: new Set<string>() },
    },
    { signal: new AbortController().signal, log: () => rootLogger('silent') },
    [],
  );
  return kubernetes.get(CLASSIC_LOAD_BALANCERS, keyOf(cached))?.status?.listeners;
}

/** Rules read the inventory, so its correction for one Service must not lose the change of another Service. */
describe('the correction of the inventory', () => {
  it('removes only the deleted listeners of the Service', async () =>
    assert.deepEqual(await corrected(false), [OTHER]));

  it('does not restore a listener that another Service has removed meanwhile', async () =>
    assert.deepEqual(await corrected(true), [OWN]));
});
