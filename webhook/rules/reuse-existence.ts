import type { Rule } from './rule.ts';
import { reuseOf, unlessStale } from './engine/reuse.ts';

export const reuseExistence: Rule = {
  name: 'reuse-existence',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The load balancer that a Service reuses exists in the region of the cluster. Where the inventory is old or missing, that it knows none of the id is a warning.',
  check: (subject, facts) => {
    const reuse = reuseOf(subject, facts);
    if (reuse === undefined || reuse.status !== undefined) return [];
    const region = facts.cluster()?.regionId ?? 'the region of the cluster';
    return [
      unlessStale(facts, {
        field: reuse.field,
        found: reuse.id,
        allowed: `the id of a load balancer in ${region}, where there is none of this id`,
        fix: 'correct it (kubectl get clb lists all), or wait a minute if it was made just now',
      }),
    ];
  },
};
