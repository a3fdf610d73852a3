import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { objectKey, type KubernetesObject, type Namespace, type Service } from '../base/kubernetes-objects.ts';
import type { Watched } from '../base/cache-interfaces.ts';
import { PolicyCache } from './policy-cache.ts';
import type { Problem } from './compile.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from './custom-resources.ts';
import type { Tunable } from './tunable-rule.ts';

/** The watches and settings of a policy cache. */
export interface PolicySources {
  readonly policies: Watched<LoadBalancerPolicy>;
  readonly exceptions: Watched<LoadBalancerException>;
  readonly namespaces: Watched<Namespace>;
  readonly services: Watched<Service>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly tunable: Tunable;
  readonly warnOnly: boolean;
}

/** Builds the policy cache of a cluster, and updates it on every change. Runs at the start of the webhook, the controller and `plan`. */
export function followPolicies(sources: PolicySources): { readonly policyCache: PolicyCache } {
  const { policies, exceptions, namespaces, log } = sources;
  const policyCache = new PolicyCache({
    ...sources,
    labelsOf: (namespace) => {
      const found = namespaces.get(objectKey(namespace));
      return found === undefined ? undefined : (found.metadata.labels ?? {});
    },
  });
  const logProblems = (kind: string, { metadata }: KubernetesObject, problems: readonly Problem[]): void => {
    if (problems.length > 0) log.warn({ [kind]: metadata.name, problems }, `invalid parts of the ${kind} are ignored`);
  };
  const put = {
    policy: (policy: LoadBalancerPolicy) => logProblems('policy', policy, policyCache.putPolicy(policy)),
    exception: (exception: LoadBalancerException) =>
      logProblems('exception', exception, policyCache.putException(exception)),
  };
  for (const policy of policies.values()) put.policy(policy);
  for (const exception of exceptions.values()) put.exception(exception);
  policies.onChange(({ before, after }) => {
    if (after === undefined) policyCache.removePolicy(nameOf(before));
    else put.policy(after);
  });
  exceptions.onChange(({ before, after }) => {
    if (after === undefined) policyCache.removeException(nameOf(before));
    else put.exception(after);
  });
  namespaces.onChange(({ before, after }) => {
    if (before?.metadata.labels !== after?.metadata.labels) policyCache.namespaceChanged(nameOf(after ?? before));
  });
  return { policyCache };
}

const nameOf = (object: KubernetesObject | undefined): string => object?.metadata.name ?? '';
