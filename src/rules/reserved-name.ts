import { defaultLoadBalancerName, isDefaultName } from '../clb/model/naming.ts';
import type { Violation, Rule } from './rule.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Violation[] = [];

export const reservedName: Rule = {
  name: 'reserved-name',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: "No load balancer is called as another Service's own would be by default, `a` and 31 digits of a UID: by that name, controllers find those that have lost their tag, and delete them with their Service.",
  since: '0.1.0',
  examples: {
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-name: "a0123456789abcdef0123456789abcde"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-name: "shop-frontend"
`,
  },
  check: (subject) => {
    const { id, name } = subject.parsed.options;
    if (name === undefined || !isDefaultName(name)) return NONE;
    // Undefined in a manifest.
    const uid = subject.object.metadata.uid as string | undefined;
    if (id === undefined && name === defaultLoadBalancerName(uid ?? '')) return NONE;
    return [
      {
        ...writtenAs('name', subject),
        allowed: "a name that is not the default one of a Service's own load balancer",
        fix: 'choose another name, or remove the annotation',
        atApplyOnly: true,
      },
    ];
  },
};
