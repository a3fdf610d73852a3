import type { BoundLoadBalancer } from '../inventory/serving-load-balancer.ts';
import { isPublished } from '../clb/model/provisioning-evidence.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { exampleOf } from './engine/example-fragments.ts';
import { isUnreadable } from './engine/service-listeners.ts';
import { FINALIZER } from './engine/controller-metadata.ts';
import { wasManaged } from './engine/provisioning-phase.ts';
import { wantsLoadBalancer } from './engine/subject.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Without this rule, a Service could move to a load balancer with another address while clients still use the published address. */
export const loadBalancerChange: Rule = {
  name: 'load-balancer-change',
  kind: 'Service',
  tier: 'hygiene',
  tunable: false,
  checksChangesOnly: true,
  doc: 'A Service stays with the load balancer that serves it until its finalizer is gone. The annotation id cannot change to another load balancer. A Service on a user-managed load balancer keeps the annotation. The id of the load balancer that serves the Service is always allowed. If the inventory does not show that load balancer, the rule only warns.',
  since: '0.1.0',
  checksOtherServices: true,
  examples: {
    cloud: {
      description: 'lb-1 has the address of the Service, lb-2 has another address',
      loadBalancers: {
        'lb-1': { owner: 'user', address: '47.96.0.1', listeners: [{ port: 80, protocol: 'tcp' }] },
        'lb-2': { owner: 'user', address: '47.96.0.9', listeners: [{ port: 80, protocol: 'tcp' }] },
      },
    },
    before: exampleOf({ id: 'lb-1' }),
    wrong: exampleOf({ id: 'lb-2' }),
    right: exampleOf({ id: 'lb-1', 'remove-unscheduled-backend': 'on' }),
  },
  canApply: hasOtherId,
  check: (subject, facts) => {
    const { object, before, parsed } = subject;
    if (before === undefined || !hasOtherId(subject) || isUnreadable(parsed, 'id') || !wasManaged(before, facts))
      return NONE;
    const stored = before.object;
    const bound = facts.boundTo(stored);
    const isServed = isPublished(stored) || bound?.isOwned === true || !wantsLoadBalancer(stored);
    if (!isServed || isAllowed(parsed.options.id, bound, wantsLoadBalancer(object))) return NONE;
    return [unlessStale(facts, { ...writtenAs('id', subject), ...(bound === undefined ? UNKNOWN : staysWith(bound)) })];
  },
};

function hasOtherId({ before, parsed }: ServiceSubject): boolean {
  return before !== undefined && before.parsed.options.id !== parsed.options.id;
}

/** Returns whether a Service may request this load balancer. */
const isAllowed = (requested: string | undefined, bound: BoundLoadBalancer | undefined, wantsAny: boolean): boolean =>
  requested === undefined ? bound?.isOwned === true || !wantsAny : requested === bound?.id;

type ChangeAdvice = Pick<Violation, 'reason' | 'detail' | 'remedy' | 'advice'>;

const MOVE = `to move, create a second Service and switch DNS, or change the type to ClusterIP, wait until the finalizer ${FINALIZER} is removed, and change it back`;

const staysWith = ({ id, isOwned }: BoundLoadBalancer): ChangeAdvice =>
  isOwned
    ? {
        reason: 'Forbidden',
        detail: `the Service is bound to its own load balancer ${id}`,
        remedy: `remove the annotation; ${MOVE}`,
      }
    : { reason: 'Invalid', detail: `must be ${id}, because the Service is bound to that load balancer`, remedy: MOVE };

const UNKNOWN: ChangeAdvice = {
  reason: 'Invalid',
  detail: 'must be the load balancer that the Service is bound to, which is not in the inventory',
  remedy: `keep the new value if that load balancer no longer exists; ${MOVE}`,
  advice: true,
};
