import { NAMESPACES, type Namespace } from '../base/objects.ts';
import {
  LOAD_BALANCER_EXCEPTIONS,
  LOAD_BALANCER_POLICIES,
  type LoadBalancerException,
  type LoadBalancerPolicy,
} from '../policy/resource.ts';
import type { Watched } from '../base/store.ts';
import { Group, type CachesOptions, type Following, type Need } from './caches.ts';
import { trimNamespace, trimSpec } from './trim.ts';

/** What policies and exceptions say, and the labels of namespaces that they select by. */
export interface PolicyCaches extends Following {
  readonly policies: Watched<LoadBalancerPolicy>;
  readonly exceptions: Watched<LoadBalancerException>;
  /** Read once there is a policy or an exception. */
  readonly namespaces: Watched<Namespace>;
}

/** For who judges by them. */
const SPECS = { policy: trimSpec<LoadBalancerPolicy>, exception: trimSpec<LoadBalancerException> };
/** For who writes their statuses, too. */
export const WITH_STATUS: typeof SPECS = {
  policy: (policy) => ({ ...trimSpec(policy), ...(policy.status === undefined ? {} : { status: policy.status }) }),
  exception: (exception) => ({
    ...trimSpec(exception),
    ...(exception.status === undefined ? {} : { status: exception.status }),
  }),
};

/** Of a cluster without the two kinds there is nothing to be read. */
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

/** Arises with the first object in one of the caches. */
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
