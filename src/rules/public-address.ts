import { wouldGoPublic } from '../clb/model/public-address.ts';
import { isPublished } from '../clb/model/service-status.ts';
import { keyOf } from '../base/objects.ts';
import type { Violation, Rule } from './rule.ts';
import { asSeen } from './engine/age.ts';
import { isUnreadable, managesListeners } from './engine/listeners.ts';
import { freeReuseOf } from './engine/reuse.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Violation[] = [];

export const publicAddress: Rule = {
  name: 'public-address',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'In a cluster that allows no load balancers on the internet (disablePublicSLB), a new one is asked for with address-type intranet, as it would be public otherwise, and one that is reused has a private address. One that is there already stays.',
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
    if (facts.cluster()?.disablePublicSLB !== true) return NONE;
    if (id === undefined) {
      const isKnown = !isUnreadable(parsed, 'addressType') && !isUnreadable(parsed, 'id');
      const around = { disablePublicSLB: true, isPublished: isPublished(object) };
      return isKnown && wouldGoPublic(facts.ownedBy(object)?.addressType ?? addressType, around)
        ? [asSeen(facts, { ...writtenAs('addressType', subject), ...PRIVATE })]
        : NONE;
    }
    const reuse = freeReuseOf(subject, facts);
    if (reuse === undefined) return NONE;
    // A listener of the Service proves that the load balancer serves it, even before the status shows the address.
    const isServed =
      managesListeners(subject) && reuse.status.listeners.some(({ service }) => service === keyOf(object));
    const around = { disablePublicSLB: true, isPublished: isPublished(object) || isServed };
    return wouldGoPublic(reuse.status.addressType, around)
      ? [asSeen(facts, { ...writtenAs('id', subject), ...OTHER })]
      : NONE;
  },
};

const ASK = 'or ask whoever runs the cluster (disablePublicSLB)';

const PRIVATE = {
  allowed: 'intranet, because this cluster allows no load balancers on the internet',
  fix: `set it to "intranet", ${ASK}`,
};

const OTHER = {
  allowed: 'one with a private address, because this cluster allows no load balancers on the internet',
  fix: `name another load balancer, ${ASK}`,
};
