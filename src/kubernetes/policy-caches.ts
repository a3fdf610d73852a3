import { NAMESPACES, type Namespace } from '../base/objects.ts';
import {
  LOAD_BALANCER_EXCEPTIONS,
  LOAD_BALANCER_POLICIES,
  type LoadBalancerException,
  type LoadBalancerPolicy,
} from '../policy/resource.ts';
import type { Watched } from '../base/store.ts';
import { Group, type CachesOptions, type FollowingCaches, type Need } from './caches.ts';
import { trimNamespace, trimSpec } from './trim.ts';

/** The caches of policies, exceptions, and the namespace labels that policies select. */
export interface PolicyCaches extends FollowingCaches {
  readonly policies: Watched<LoadBalancerPolicy>;
  readonly exceptions: Watched<LoadBalancerException>;
  /** The cache syncs only once a policy or an exception exists. */
  readonly namespaces: Watched<Namespace>;
}

/** Keeps the parts that evaluation needs. */
const SPECS = { policy: trimSpec<LoadBalancerPolicy>, exception: trimSpec<LoadBalancerException> };
/** Keeps the statuses as well, for the controller that writes them. */
export const WITH_STATUS: typeof SPECS = {
  policy: (policy) => ({ ...trimSpec(policy), ...(policy.status === undefined ? {} : { status: policy.status }) }),
  exception: (exception) => ({
    ...trimSpec(exception),
    ...(exception.status === undefined ? {} : { status: exception.status }),
  }),
};

/** Returns the caches of policies. They stay empty in a cluster without the two kinds. */
export function policyCaches(options: CachesOptions, trims = SPECS): PolicyCaches {
  const group = new Group(options);
  const isOptional = true;
  const policies = group.add({ resource: LOAD_BALANCER_POLICIES, trim: trims.policy, isOptional });
  const exceptions = group.add({
    resource: LOAD_BALANCER_EXCEPTIONS,
    trim: trims.exception,
    isOptional,
  });
  const need = needOf([policies, exceptions]);
  const namespaces = group.add({ resource: NAMESPACES, trim: trimNamespace, need });
  return { policies, exceptions, namespaces, ...group.following() };
}

/** Returns a need that arises with the first object in one of the caches. */
function needOf(caches: readonly Pick<Watched<LoadBalancerPolicy | LoadBalancerException>, 'onChange'>[]): Need {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let hasArisen = false;
  for (const cache of caches) {
    cache.onChange(() => {
      hasArisen = true;
      resolve(undefined);
    });
  }
  return {
    hasArisen: () => hasArisen,
    wait: async (signal) => {
      if (signal.aborted) return;
      const stopped = Promise.withResolvers<undefined>();
      const stop = (): void => stopped.resolve(undefined);
      signal.addEventListener('abort', stop, { once: true });
      await Promise.race([promise, stopped.promise]);
      signal.removeEventListener('abort', stop);
    },
  };
}
