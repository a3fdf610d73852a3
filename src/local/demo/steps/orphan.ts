import { CLOUD } from '../../seed.ts';
import { atConsole } from '../console.ts';
import { expect, until, type DemoStep, type Demo } from '../demo.ts';

/** A load balancer whose tags name the UID of a missing Service. */
const ORPHAN = {
  id: 'lb-bp1orphan',
  name: 'a00000000000000000000000000000000'.slice(0, 32),
  tags: {
    'kubernetes.do.not.delete': 'a00000000000000000000000000000000'.slice(0, 32),
    'ack.aliyun.com': CLOUD.clusterId,
  },
};
/** The milliseconds for two passes of the inventory, a minute apart, and for their writes. */
const TWO_PASSES_MS = 180_000;

const ownerIn = async ({ kubectl }: Demo): Promise<string> =>
  (await kubectl.quiet('get', 'clb', ORPHAN.id, '-o', 'jsonpath={.status.owner}')).stdout;

/** Creates the orphaned load balancer early, so that passes of the inventory see it while other steps run. */
export const plantOrphan = (tour: Demo): Promise<unknown> => tour.cloud.seed({ loadBalancers: [ORPHAN] });

export const orphan: DemoStep = {
  title: 'What a lost Service has left is reported',
  about:
    'A Service was deleted while no controller ran, by removing its finalizer, and its binding is gone too: say, in a restored cluster. Two ' +
    'passes of the inventory find the load balancer without a Service. The controller reports it, and never deletes it.',
  run: async (tour) => {
    await until(tour, `${ORPHAN.id} is an orphan`, TWO_PASSES_MS, async () => {
      const owner = await ownerIn(tour);
      return owner === 'orphan' ? { seen: owner } : { not: owner || 'not in the inventory' };
    });
    await tour.kubectl.show('get', 'clb');
    const isThere = (await tour.cloud.loadBalancers()).some(({ id }) => id === ORPHAN.id);
    expect(tour, isThere, 'it is still in the cloud', 'it was deleted');
    await atConsole(tour, { remove: [ORPHAN.id] });
  },
};
