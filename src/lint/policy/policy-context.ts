import type { Clock } from '../../base/clock.ts';
import type { Service } from '../../base/kubernetes-objects.ts';
import { PolicyCache } from '../../policy/policy-cache.ts';
import { TUNABLE } from '../../rules/index.ts';
import type { NamespaceLabels, Policies } from './read-policies.ts';
import { createInMemoryServices } from './in-memory-services.ts';

/** The policies to evaluate, with the namespaces and Services of the cluster. */
export interface PolicyContextParts extends Policies {
  /** The labels of namespaces. A namespace with unknown labels has no entry. */
  readonly namespaces: NamespaceLabels;
  /** The existing Services, for quotas. */
  readonly services: Iterable<Service>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Policies that a command evaluates as if the cluster had them. */
export interface PolicyContext {
  readonly policyCache: PolicyCache;
  /** Adds a Service to the Services that quotas count. */
  add(service: Service): void;
}

/** Builds a policy cache as the webhook does, but from files or from one read of a cluster, for `lint --policy` and `policy`. */
export function createPolicyContext(parts: PolicyContextParts): PolicyContext {
  const { policies, exceptions, namespaces, services } = parts;
  const serviceStore = createInMemoryServices(services);
  const policyCache = new PolicyCache({
    ...parts,
    tunable: TUNABLE,
    labelsOf: (namespace) => namespaces.get(namespace),
    services: serviceStore,
    warnOnly: false,
  });
  for (const policy of policies) policyCache.putPolicy(policy);
  for (const exception of exceptions) policyCache.putException(exception);
  return { policyCache, add: (service) => serviceStore.put(service) };
}
