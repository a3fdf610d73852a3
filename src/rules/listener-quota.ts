import { inListOf } from '../clb/diff/sharing-services.ts';
import { portOf } from '../clb/diff/blocked-ports.ts';
import { LISTENER_QUOTA as QUOTA } from '../clb/diff/listener-quota.ts';
import type { Facts } from '../inventory/facts.ts';
import { keyOf } from '../base/objects.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/age.ts';
import { askedBy, managesListeners } from './engine/listeners.ts';
import { freeReuseOf } from './engine/reuse.ts';
import { wantsLoadBalancer } from './engine/subject.ts';

const NONE: readonly Violation[] = [];

export const listenerQuota: Rule = {
  name: 'listener-quota',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: `A load balancer has at most ${QUOTA} listeners, and every port of a Service becomes one. Those beyond could not be created. Turn the rule into a warning where the account has been given a higher quota.`,
  since: '0.1.0',
  examples: {
    given: {
      said: `somebody has made ${QUOTA} listeners on lb-1, for the ports from 9000 on`,
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
    return id === undefined ? beyond(subject) : beyondShared(subject, facts);
  },
};

const found = (count: number): Pick<Violation, 'field' | 'found'> => ({ field: 'spec.ports', found: `${count} ports` });

/** Returns the number of listeners that the stored Service asked for on its own load balancer. A decrease above the quota only warns. */
const countBefore = ({ before }: ServiceSubject): number =>
  before !== undefined && before.parsed.options.id === undefined && wantsLoadBalancer(before.object)
    ? askedBy(before).length
    : 0;

function beyond(subject: ServiceSubject): readonly Violation[] {
  const count = askedBy(subject).length;
  if (count <= QUOTA) return NONE;
  return [
    {
      ...found(count),
      ...(count <= countBefore(subject) ? { advice: true as const } : {}),
      allowed: `at most ${QUOTA}, which is how many listeners a load balancer can have`,
      fix: 'move some to another Service, or have the quota of the account raised',
      atApplyOnly: true,
    },
  ];
}

function beyondShared(subject: ServiceSubject, facts: Facts): readonly Violation[] {
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return NONE;
  const there = reuse.status.listeners;
  const wanted = askedBy(subject);
  if (there.length + wanted.length <= QUOTA) return NONE;
  const [isTaken, isWanted] = [inListOf(there, portOf), inListOf(wanted, portOf)];
  const missing = wanted.filter((listener) => !isTaken(listener)).length;
  const own = keyOf(subject.object);
  const leaving = there.filter((other) => other.service === own && !isWanted(other)).length;
  const growth = missing - leaving;
  if (growth <= 0 || there.length + growth <= QUOTA) return NONE;
  return [
    unlessStale(facts, {
      ...found(wanted.length),
      allowed: `as many as load balancer ${reuse.id} has room for, and it has ${there.length} of ${QUOTA} listeners`,
      on: reuse.id,
      fix: 'use another load balancer, delete listeners that nobody needs, or have the quota of the account raised',
      atApplyOnly: true as const,
    }),
  ];
}
