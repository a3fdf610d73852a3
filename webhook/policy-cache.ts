import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../src/base/clock.ts';
import type { PolicyCache } from '../src/policy/policy-cache.ts';
import { followPolicies, type PolicySources } from '../src/policy/policy-watch.ts';
import { TUNABLE } from '../src/rules/index.ts';

/** The caches of policies, with the registry of their metrics. */
export interface PolicyParts extends Omit<PolicySources, 'tunable'> {
  readonly clock: Clock;
  readonly registry: Registry;
}

/** Returns the compiled policies and exceptions of the cluster, which change with the caches. Registers their metrics. Runs once, at the start. */
export function createPolicyCache(sources: PolicyParts): PolicyCache {
  const { policyCache } = followPolicies({ ...sources, tunable: TUNABLE });
  measure(sources.registry, policyCache, sources.clock);
  return policyCache;
}

/** Registers the gauges of policies and exceptions. The metrics show numbers only, no names. */
function measure(registry: Registry, policyCache: PolicyCache, clock: Clock): void {
  const policies = new Gauge<'state'>({
    name: 'portcullis_webhook_policies',
    help: 'LoadBalancerPolicies by state: valid or invalid.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      const invalidPolicies = policyCache.policies.filter(({ problems }) => problems.length > 0).length;
      policies.set({ state: 'valid' }, policyCache.policies.length - invalidPolicies);
      policies.set({ state: 'invalid' }, invalidPolicies);
    },
  });
  const exceptions = new Gauge<'state'>({
    name: 'portcullis_webhook_policy_exceptions',
    help: 'LoadBalancerExceptions by state: active or expired.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      const all = [...policyCache.exceptions];
      const active = all.filter(({ expires }) => clock.now() < expires.ms).length;
      exceptions.set({ state: 'active' }, active);
      exceptions.set({ state: 'expired' }, all.length - active);
    },
  });
}
