import type { Service } from '../../src/base/kubernetes-objects.ts';
import type { LoadBalancerPolicySpec, Quota } from '../../src/policy/custom-resources.ts';
import { evaluatedWith, findingTexts, type TestPolicyCache } from './policy-cache.ts';
import { aService, type ServiceInput } from './service.ts';

/** Returns a policy with one quota, by default per namespace. */
export const quotas = (quota: Partial<Quota>): LoadBalancerPolicySpec => ({
  quotas: [{ name: 'q', per: 'namespace', ...quota }],
});

/** Returns a Service of this name with its own UID. */
export const named = (name: string, input: ServiceInput = {}): Service =>
  aService({ uid: `uid-${name}`, ...input, name });

/** Returns a Service whose condition LoadBalancerReady has this reason and status False. */
export const denied = (
  name: string,
  reason: string,
  ingress: readonly { readonly ip: string }[] = [],
  input: ServiceInput = {},
): Service => ({
  ...named(name, input),
  status: {
    loadBalancer: { ingress: [...ingress] },
    conditions: [
      { type: 'LoadBalancerReady', status: 'False', reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
});

/** Returns the denials of a request by the quota of policy p. */
export const denialsOf = (
  policyCache: Pick<TestPolicyCache, 'policyCache'>,
  object: Service,
  oldObject?: Service,
): readonly string[] =>
  findingTexts(evaluatedWith(policyCache, { object, ...(oldObject === undefined ? {} : { oldObject }) }))
    .filter((line) => line.includes('policy/p/q'))
    .map((line) => line.replace(' policy/p/q', ''));
