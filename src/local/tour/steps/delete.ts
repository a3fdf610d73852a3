import { isDeepStrictEqual } from 'node:util';
import type { CloudLoadBalancer } from '../cloud.ts';
import { NAMESPACE } from '../objects.ts';
import { expect, until, type Step } from '../tour.ts';

const byId = (balancers: readonly CloudLoadBalancer[]): ReadonlyMap<string, CloudLoadBalancer> =>
  new Map(balancers.map((balancer) => [balancer.id, balancer]));

/** `before` is what the cloud held when the tour began. */
export const remove = (before: readonly CloudLoadBalancer[]): Step => ({
  title: 'Deleted without a trace',
  about: 'All Services are deleted. What Portcullis made is gone from the cloud; what it did not make is as it was.',
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
        isDeepStrictEqual(left.get(balancer.id), balancer),
        `${balancer.id} is as it was`,
        JSON.stringify(left.get(balancer.id)),
      );
    }
    await tour.kubectl.show('get', 'services', '-n', NAMESPACE);
  },
});
