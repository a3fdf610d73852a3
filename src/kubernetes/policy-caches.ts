import { NAMESPACES, type Namespace } from '../base/kubernetes-objects.ts';
import {
  LOAD_BALANCER_EXCEPTIONS,
  LOAD_BALANCER_POLICIES,
  type LoadBalancerException,
  type LoadBalancerPolicy,
} from '../policy/custom-resources.ts';
import type { Watched } from '../base/cache-interfaces.ts';
import { Group, type CachesOptions, type FollowingCaches, type Need } from './caches.ts';
import { trimNamespace, trimSpec } from './trim-objects.ts';

/** The caches of policies and exceptions, and of Namespaces, because policies select namespaces by label. */
export interface PolicyCaches extends FollowingCaches {
  readonly policies: Watched<LoadBalancerPolicy>;
  readonly exceptions: Watched<LoadBalancerException>;
  /** The Namespaces. This cache stays empty until the first policy or exception exists. */
  readonly namespaces: Watched<Namespace>;
}

/** Trims policies and exceptions to the parts that evaluation needs. */
const SPECS = { policy: trimSpec<LoadBalancerPolicy>, exception: trimSpec<LoadBalancerException> };
/** Trims objects to their spec and status, because the policy controller compares the status before each write. */
export const WITH_STATUS: typeof SPECS = {
  policy: (policy) => ({ ...trimSpec(policy), ...(policy.status === undefined ? {} : { status: policy.status }) }),
  exception: (exception) => ({
    ...trimSpec(exception),
    ...(exception.status === undefined ? {} : { status: exception.status }),
  }),
};

/** Returns the caches of policies for the webhook and the controller. The caches stay empty if the custom resources are not installed. */
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

/** Returns a condition that becomes true with the first object in one of the caches. */
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
