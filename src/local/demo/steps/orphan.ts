import { z } from 'zod';
import { CLASSIC_LOAD_BALANCERS } from '../../../inventory/custom-resources.ts';
import { CLOUD } from '../../seed.ts';
import { atConsole } from '../console-changes.ts';
import { clusterPath } from '../service-lookup.ts';
import { expect, until, type DemoStep, type Demo } from '../demo-step.ts';

/** A load balancer whose tags name the UID of a missing Service. */
export const ORPHAN = {
  id: 'lb-bp1orphan',
  name: 'a00000000000000000000000000000000'.slice(0, 32),
  tags: {
    'kubernetes.do.not.delete': 'a00000000000000000000000000000000'.slice(0, 32),
    'ack.aliyun.com': CLOUD.clusterId,
  },
};
/** The timeout in milliseconds: two passes of the inventory, a minute apart, and their writes. */
const TWO_PASSES_MS = 180_000;

const Inventoried = z.object({ status: z.object({ owner: z.string() }).optional() }).optional();

async function ownerIn({ api }: Demo): Promise<string | undefined> {
  const found = await api.find(clusterPath(CLASSIC_LOAD_BALANCERS, ORPHAN.id));
  return Inventoried.parse(found)?.status?.owner;
}

/** Creates the load balancer if the sandbox ran before the demo and therefore has no such load balancer. */
export async function plantOrphan({ cloud }: Demo): Promise<void> {
  const isThere = (await cloud.loadBalancers()).some(({ id }) => id === ORPHAN.id);
  if (!isThere) await cloud.seed({ loadBalancers: [ORPHAN] });
}

/** Waits until the inventory reports the load balancer `ORPHAN`, and then removes the load balancer. */
export const orphan: DemoStep = {
  title: 'The load balancer of a lost Service is reported',
  about:
    'A Service was deleted without its finalizer while no controller ran, and its binding was deleted too, as in a restored cluster. Two ' +
    'passes of the inventory find the load balancer without a Service. The controller reports it, and never deletes it.',
  run: async (demo) => {
    await until(demo, `${ORPHAN.id} is an orphan`, TWO_PASSES_MS, async () => {
      const owner = await ownerIn(demo);
      return owner === 'orphan' ? { seen: owner } : { not: owner ?? 'not in the inventory' };
    });
    await demo.kubectl.show('get', 'clb');
    const isThere = (await demo.cloud.loadBalancers()).some(({ id }) => id === ORPHAN.id);
    expect(demo, isThere, 'the load balancer still exists in the cloud', 'the load balancer was deleted');
    await atConsole(demo, { remove: [ORPHAN.id] });
  },
};
