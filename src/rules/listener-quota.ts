import { inListOf } from '../clb/model/listener-set.ts';
import { portOf } from '../clb/diff/blocked-ports.ts';
import { LISTENER_QUOTA as QUOTA } from '../clb/diff/listener-quota.ts';
import type { Facts } from '../inventory/facts.ts';
import { keyOf } from '../base/kubernetes-objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { requestedListeners, managesListeners } from './engine/service-listeners.ts';
import { freeReuseOf } from './engine/reused-load-balancer.ts';
import { wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

/** Denies requests only. The controller syncs a stored Service, but creates listeners only up to the quota. */
export const listenerQuota: Rule = {
  name: 'listener-quota',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: `A load balancer has at most ${QUOTA} listeners, and each port of a Service is one listener. The cloud rejects further listeners. If the account has a higher quota, a policy can change the rule to a warning.`,
  since: '0.1.0',
  examples: {
    cloud: {
      description: `lb-1 has ${QUOTA} listeners of a user, on the ports from 9000`,
      loadBalancers: {
        'lb-1': {
          owner: 'user',
          listeners: Array.from({ length: QUOTA }, (_, index) => ({ port: 9000 + index, protocol: 'tcp' })),
        },
        'lb-2': { owner: 'user' },
      },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-force-override-listeners: "true"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-2"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-force-override-listeners: "true"
`,
  },
  check: (subject, facts) => {
    const own = subject.object.spec?.ports?.length ?? 0;
    const { id } = subject.parsed.options;
    if ((id === undefined && own <= QUOTA) || !managesListeners(subject)) return NONE;
    return id === undefined ? violationsOnOwned(subject) : violationsOnReused(subject, facts);
  },
};

const tooMany = (count: number): Pick<Violation, 'field' | 'reason' | 'value'> => ({
  field: 'spec.ports',
  reason: 'TooMany',
  value: count,
});

/**
 * Returns the number of listeners that the stored Service requested on an owned load balancer. If the number does not increase, the rule only warns.
 */
const countBefore = ({ before }: ServiceSubject): number =>
  before !== undefined && before.parsed.options.id === undefined && wantsLoadBalancer(before.object)
    ? requestedListeners(before).length
    : 0;

function violationsOnOwned(subject: ServiceSubject): readonly Violation[] {
  const count = requestedListeners(subject).length;
  if (count <= QUOTA) return NONE;
  return [
    {
      ...tooMany(count),
      ...(count <= countBefore(subject) ? { advice: true as const } : {}),
      detail: `must have at most ${QUOTA} items, the listeners of a load balancer`,
      remedy: 'move ports to another Service, or raise the quota of the account',
      atApplyOnly: true,
    },
  ];
}

function violationsOnReused(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return NONE;
  const there = reuse.status.listeners;
  const wanted = requestedListeners(subject);
  if (there.length + wanted.length <= QUOTA) return NONE;
  const [isTaken, isWanted] = [inListOf(there, portOf), inListOf(wanted, portOf)];
  const missing = wanted.filter((listener) => !isTaken(listener)).length;
  const own = keyOf(subject.object);
  const obsolete = there.filter((other) => other.service === own && !isWanted(other)).length;
  const growth = missing - obsolete;
  if (growth <= 0 || there.length + growth <= QUOTA) return NONE;
  return [
    unlessStale(facts, {
      ...tooMany(wanted.length),
      detail: `load balancer ${reuse.id} has ${there.length} of at most ${QUOTA} listeners`,
      on: reuse.id,
      remedy: 'use another load balancer, delete unused listeners, or raise the quota of the account',
      atApplyOnly: true as const,
    }),
  ];
}
