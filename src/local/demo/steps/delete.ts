import { isDeepStrictEqual } from 'node:util';
import type { CloudLoadBalancer } from '../cloud.ts';
import { NAMESPACE } from '../objects.ts';
import { expect, until, type DemoStep } from '../demo.ts';

const byId = (balancers: readonly CloudLoadBalancer[]): ReadonlyMap<string, CloudLoadBalancer> =>
  new Map(balancers.map((balancer) => [balancer.id, balancer]));

/** Returns a load balancer without the tag of reuse, which stays after the cleanup, as with the existing controller. */
const withoutReuseTag = (balancer: CloudLoadBalancer | undefined): object => ({
  ...balancer,
  tags: { ...balancer?.tags, 'kubernetes.reused.by.user': undefined },
});

/** Creates the step. `before` holds the load balancers at the start of the demo. */
export const remove = (before: readonly CloudLoadBalancer[]): DemoStep => ({
  title: 'Cleanup',
  about:
    'All Services are deleted. What Portcullis created is gone from the cloud. Other load balancers are as they were, but for the tag ' +
    'kubernetes.reused.by.user, which stays.',
  run: async (tour) => {
    await tour.kubectl.show('delete', 'services', '--all', '-n', NAMESPACE);
    const ids = new Set(before.map(({ id }) => id));
    const left = await until(tour, 'nothing of ours is left in the cloud', 45_000, async () => {
      const now = await tour.cloud.loadBalancers();
      const ours = now.filter(({ id }) => !ids.has(id));
      return ours.length === 0
        ? { seen: byId(now) }
        : { not: ours.map(({ id, name }) => `${id} (${name})`).join(', ') };
    });
    for (const balancer of before) {
      expect(
        tour,
        isDeepStrictEqual(withoutReuseTag(left.get(balancer.id)), withoutReuseTag(balancer)),
        `${balancer.id} is as it was`,
        JSON.stringify(left.get(balancer.id)),
      );
    }
    await tour.kubectl.show('get', 'services', '-n', NAMESPACE);
  },
});
