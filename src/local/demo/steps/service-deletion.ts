import { isDeepStrictEqual } from 'node:util';
import type { CloudLoadBalancer } from '../simulator-client.ts';
import { NAMESPACE } from '../service-lookup.ts';
import { expect, until, type DemoStep } from '../demo-step.ts';

const byId = (balancers: readonly CloudLoadBalancer[]): ReadonlyMap<string, CloudLoadBalancer> =>
  new Map(balancers.map((balancer) => [balancer.id, balancer]));

/** Returns a load balancer without the tag of reuse, because this tag stays after the cleanup, as with the Alibaba Cloud Controller Manager. */
const withoutReuseTag = (balancer: CloudLoadBalancer | undefined): object => ({
  ...balancer,
  tags: { ...balancer?.tags, 'kubernetes.reused.by.user': undefined },
});

/** Returns the last step. `before` has the load balancers at the start of the demo. */
export const serviceDeletion = (before: readonly CloudLoadBalancer[]): DemoStep => ({
  title: 'Cleanup',
  about:
    'All Services are deleted. The controller deletes everything that it created in the cloud. Other load balancers stay unchanged, except ' +
    'for the tag kubernetes.reused.by.user.',
  run: async (demo) => {
    await demo.kubectl.show('delete', 'services', '--all', '-n', NAMESPACE);
    const ids = new Set(before.map(({ id }) => id));
    const left = await until(demo, 'everything that the controller created is deleted', 45_000, async () => {
      const now = await demo.cloud.loadBalancers();
      const ours = now.filter(({ id }) => !ids.has(id));
      return ours.length === 0
        ? { seen: byId(now) }
        : { not: ours.map(({ id, name }) => `${id} (${name})`).join(', ') };
    });
    for (const balancer of before) {
      expect(
        demo,
        isDeepStrictEqual(withoutReuseTag(left.get(balancer.id)), withoutReuseTag(balancer)),
        `${balancer.id} is unchanged`,
        JSON.stringify(left.get(balancer.id)),
      );
    }
    await demo.kubectl.show('get', 'services', '-n', NAMESPACE);
  },
});
