import type { Facts } from '../../src/inventory/facts.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/age.ts';
import { listenersOf, managesListeners, transportOf } from './engine/listeners.ts';
import { freeReuseOf } from './engine/reuse.ts';

const NONE: readonly Fault[] = [];

/** The cloud's quota of listeners of one Classic Load Balancer, unless the account has been given a higher one. */
const QUOTA = 50;

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
          owner: 'nobody',
          listeners: Array.from({ length: QUOTA }, (_, index) => ({ port: 9000 + index, protocol: 'tcp' })),
        },
        'lb-2': { owner: 'nobody' },
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

const found = (count: number): Pick<Fault, 'field' | 'found'> => ({ field: 'spec.ports', found: `${count} ports` });

function beyond(subject: ServiceSubject): readonly Fault[] {
  const listeners = (listenersOf(subject) ?? []).filter(({ protocol }) => protocol !== undefined);
  if (listeners.length <= QUOTA) return NONE;
  return [
    {
      ...found(listeners.length),
      allowed: `at most ${QUOTA}, which is how many listeners a load balancer can have`,
      fix: 'move some to another Service, or have the quota of the account raised',
      atApplyOnly: true,
    },
  ];
}

function beyondShared(subject: ServiceSubject, facts: Facts): readonly Fault[] {
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return NONE;
  const there = reuse.status.listeners;
  const wanted = listenersOf(subject) ?? [];
  if (there.length + wanted.length <= QUOTA) return NONE;
  const missing = wanted.filter(
    ({ port, protocol }) =>
      protocol !== undefined &&
      !there.some((other) => other.port === port && transportOf(other.protocol) === transportOf(protocol)),
  ).length;
  if (missing === 0 || there.length + missing <= QUOTA) return NONE;
  return [
    unlessStale(facts, {
      ...found(wanted.length),
      allowed: `as many as load balancer ${reuse.id} has room for, and it has ${there.length} of ${QUOTA} listeners`,
      fix: 'use another load balancer, delete listeners that nobody needs, or have the quota of the account raised',
      atApplyOnly: true as const,
    }),
  ];
}
