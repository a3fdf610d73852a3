import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import type { Rule } from './rule.ts';
import { annotationField } from './engine/listeners.ts';
import { freeReuseOf } from './engine/reuse.ts';

export const reuseAddress: Rule = {
  name: 'reuse-address',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'An address type or IP version named beside a load balancer to be reused is what the load balancer has: neither can be changed.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    given: { said: 'lb-1 is on the internet', loadBalancers: { 'lb-1': { owner: 'nobody', addressType: 'internet' } } },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: "intranet"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: "internet"
`,
  },
  check: (subject, facts) => {
    const reuse = freeReuseOf(subject, facts);
    if (reuse === undefined) return [];
    const { options, keys } = subject.parsed;
    return (['addressType', 'ipVersion'] as const).flatMap((option) => {
      const wanted = options[option];
      const has = reuse.status[option];
      if (wanted === undefined || wanted === has) return [];
      return [
        {
          field: annotationField(keys.get(option) ?? CATALOGUE[option].key),
          found: wanted,
          allowed: `${has}, which load balancer ${reuse.id} has`,
          fix: 'remove the annotation, or name a load balancer of that kind',
        },
      ];
    });
  },
};
