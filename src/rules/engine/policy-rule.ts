import type { Rule } from '../rule.ts';

const NONE: readonly never[] = [];

/** What constraints and quotas of policies find: a rule to the engine, and none to people, who know the policies by their own names. */
export const policyRule: Rule = {
  name: 'policy',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'What the LoadBalancerPolicies of the cluster ask for.',
  since: '0.1.0',
  examples: { wrong: '', right: '' },
  check: (subject, facts, policy) => policy.faults?.(subject, facts) ?? NONE,
};
