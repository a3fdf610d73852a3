import type { Fault, Rule } from './rule.ts';
import { isUnreadable } from './engine/listeners.ts';
import { hasLoadBalancer } from './engine/subject.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Fault[] = [];

export const publicAddress: Rule = {
  name: 'public-address',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'In a cluster that allows no load balancers on the internet (disablePublicSLB), a new one is asked for with address-type intranet, as it would be public otherwise. One that is there already stays.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    given: {
      said: 'the cluster allows no load balancers on the internet',
      cluster: { disablePublicSLB: true },
      loadBalancers: {},
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: internet
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: intranet
`,
  },
  check: (subject, facts) => {
    const { object, parsed } = subject;
    const { id, addressType } = parsed.options;
    if (addressType === 'intranet' || id !== undefined || facts.cluster()?.disablePublicSLB !== true) return NONE;
    if (isUnreadable(parsed, 'addressType') || isUnreadable(parsed, 'id') || hasLoadBalancer(object)) return NONE;
    return [
      {
        ...writtenAs('addressType', subject),
        allowed: 'intranet, because this cluster allows no load balancers on the internet',
        fix: 'set it to "intranet", or ask whoever runs the cluster (disablePublicSLB)',
      },
    ];
  },
};
