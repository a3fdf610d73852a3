import type { Rule } from '../rule.ts';

const NONE: readonly never[] = [];

/** The rule that finds violations of policy constraints and quotas. Messages name the constraint or quota instead of this rule. */
export const policyRule: Rule = {
  name: 'policy',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service meets the constraints and quotas of the LoadBalancerPolicies of the cluster.',
  since: '0.1.0',
  examples: { wrong: '', right: '' },
  check: (subject, facts, policy) => policy.violations?.(subject, facts) ?? NONE,
};
