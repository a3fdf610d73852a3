import type { Invariant, LoadBalancerPicture } from '../moment.ts';
import { CLUSTER_TAG, isOurs, nameIn, OWNER_TAG } from '../ownership.ts';

/** Returns the owner tag of a load balancer that has a cluster tag too. */
const ownerOf = (target: LoadBalancerPicture | undefined): string | undefined =>
  target?.tags[CLUSTER_TAG] === undefined ? undefined : target.tags[OWNER_TAG];

/** Other pods and machines get these addresses later, and would receive the traffic. */
export const preservedWithoutBackends: Invariant = {
  name: 'PreservedWithoutBackends',
  statement: 'a load balancer from which we remove the owner tag has no backends of Services left',
  check(history, { evaluated }) {
    const owners = new Map<number, string | undefined>();
    return history.flatMap((moment, at) => {
      if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurs(moment.call)) return [];
      const { call, target } = moment;
      if (call.action !== 'UntagResources') return [];
      if (moment.kind === 'sent') {
        owners.set(call.n, ownerOf(target));
        return [];
      }
      if (owners.get(call.n) === undefined || ownerOf(target) !== undefined) return [];
      evaluated();
      const backends = target?.groups.flatMap((group) => group.backends) ?? [];
      const left = backends.find(({ description = '' }) => nameIn(description) !== undefined);
      return left === undefined ? [] : [{ at, found: `${target?.id} still has ${left.serverId}:${left.port}` }];
    });
  },
};
