import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import { announcementAt } from '../../policy/exception-expiry-announcement.ts';
import type { PolicyCache } from '../../policy/policy-cache.ts';
import type { QuotaLevel } from '../../policy/quota-usage.ts';
import { scrapedGauge } from '../metrics.ts';

const STATES = { ExpiresSoon: 'expires-soon', ExpiresWithinADay: 'expires-within-a-day', Expired: 'expired' } as const;

/** Registers the gauge `portcullis_policies`: the number of policies by state, without their names. */
export function policiesGauge(registry: Registry, policyCache: PolicyCache): Gauge {
  return new Gauge({
    name: 'portcullis_policies',
    help: 'LoadBalancerPolicies by state: valid or invalid.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const invalid = policyCache.policies.filter(({ problems }) => problems.length > 0).length;
      this.set({ state: 'valid' }, policyCache.policies.length - invalid);
      this.set({ state: 'invalid' }, invalid);
    },
  });
}

/** Registers the gauge `portcullis_policy_exceptions`: the number of exceptions by remaining time, without their names. */
export function exceptionsGauge(registry: Registry, policyCache: PolicyCache, clock: Pick<Clock, 'now'>): Gauge {
  return new Gauge({
    name: 'portcullis_policy_exceptions',
    help: 'LoadBalancerExceptions: active, expires-soon (within a week), expires-within-a-day, or expired.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const counts: Record<string, number> = { active: 0 };
      for (const state of Object.values(STATES)) counts[state] = 0;
      const now = clock.now();
      for (const { expires } of policyCache.exceptions) {
        const announcement = announcementAt(expires.ms, now);
        const state = announcement === undefined ? 'active' : STATES[announcement];
        counts[state] = (counts[state] ?? 0) + 1;
      }
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
}

/** Registers the gauges `portcullis_policy_quota_used` and `portcullis_policy_quota_hard`. */
export function quotaGauges(registry: Registry, levels: () => readonly QuotaLevel[]): void {
  const register = (name: string, help: string, part: 'used' | 'hard') =>
    scrapedGauge(registry, name, help, ['policy', 'quota', 'dimension'], () =>
      levels().map(({ policy, quota, dimension, [part]: amount }) => [{ policy, quota, dimension }, amount] as const),
    );
  register(
    'portcullis_policy_quota_used',
    'Usage that a quota of a policy counts. For a quota per namespace, the usage of the namespace that uses most.',
    'used',
  );
  register('portcullis_policy_quota_hard', 'Limit of a quota of a policy.', 'hard');
}
