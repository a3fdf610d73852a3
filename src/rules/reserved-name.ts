import { defaultLoadBalancerName, isDefaultName } from '../clb/model/naming.ts';
import type { Violation, Rule } from './rule.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Without this rule, the cleanup of another Service could delete the load balancer. */
export const reservedName: Rule = {
  name: 'reserved-name',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: "No load balancer has the default name of another Service's load balancer: `a` and 31 digits of a UID. A controller finds a load balancer without owner tag by its name, and deletes it with the other Service.",
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
    // The UID is undefined in a manifest.
    const uid = subject.object.metadata.uid as string | undefined;
    if (id === undefined && name === defaultLoadBalancerName(uid ?? '')) return NONE;
    return [
      {
        ...writtenAs('name', subject),
        reason: 'Forbidden',
        detail: `name ${name} has the form of the default name of another Service's load balancer`,
        remedy: 'choose another name, or remove the annotation',
        atApplyOnly: true,
      },
    ];
  },
};
