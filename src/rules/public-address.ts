import { wouldGoPublic } from '../clb/model/forbidden-public-address.ts';
import { isPublished } from '../clb/model/provisioning-evidence.ts';
import { keyOf } from '../base/kubernetes-objects.ts';
import type { Violation, Rule } from './rule.ts';
import { isUnreadable, managesListeners } from './engine/service-listeners.ts';
import { freeReuseOf } from './engine/reused-load-balancer.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Finds violations only in clusters with `disablePublicSLB`, and not in a Service that already has a public load balancer. */
export const publicAddress: Rule = {
  name: 'public-address',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'If a cluster allows no public load balancers (disablePublicSLB), a new Service sets address-type to intranet, because the default is public. A load balancer to reuse must be private. A Service keeps its existing public load balancer.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    cloud: {
      description: 'the cluster allows no public load balancers',
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
    if (facts.cluster()?.disablePublicSLB !== true) return NONE;
    if (id === undefined) {
      const isKnown = !isUnreadable(parsed, 'addressType') && !isUnreadable(parsed, 'id');
      const exposure = { disablePublicSLB: true, isPublished: isPublished(object) };
      return isKnown && wouldGoPublic(facts.ownedBy(object)?.addressType ?? addressType, exposure)
        ? [{ ...writtenAs('addressType', subject), ...PRIVATE }]
        : NONE;
    }
    const reuse = freeReuseOf(subject, facts);
    if (reuse === undefined) return NONE;
    // A listener of the Service proves that the load balancer serves the Service, even before the status shows the address.
    const isServed =
      managesListeners(subject) && reuse.status.listeners.some(({ service }) => service === keyOf(object));
    const exposure = { disablePublicSLB: true, isPublished: isPublished(object) || isServed };
    return wouldGoPublic(reuse.status.addressType, exposure)
      ? [{ ...writtenAs('id', subject), ...otherThan(reuse.id) }]
      : NONE;
  },
};

const ASK = 'ask the operator of the cluster (disablePublicSLB)';

const PRIVATE = {
  reason: 'Invalid',
  detail: 'must be intranet: this cluster allows no public load balancers',
  remedy: `for a public load balancer, ${ASK}`,
} as const;

const otherThan = (id: string): Pick<Violation, 'reason' | 'detail' | 'remedy'> => ({
  reason: 'Forbidden',
  detail: `load balancer ${id} is public, and this cluster allows no public load balancers`,
  remedy: `use another load balancer, or ${ASK}`,
});
