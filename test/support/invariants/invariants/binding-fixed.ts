import type { Invariant, Moment, Violation } from '../moment.ts';
import { hasFinalizer, isOfService, isOurWrite, Services } from '../ownership.ts';

const ADDS = /^(?:CreateVServerGroup|AddVServerGroupBackendServers|CreateLoadBalancer\w+Listener)$/;

/** Removes the recorded load balancer of a Service after a moment that shows the Service deleted, without finalizer, or without the load balancer. */
function unbind(moment: Moment, bound: Map<string, string>): void {
  if (!isOfService(moment) || moment.isUnseen === true) return;
  const { before, after, loadBalancers } = moment;
  const uid = (after ?? before)?.metadata.uid ?? '';
  const isThere = loadBalancers.some(({ id }) => id === bound.get(uid));
  if (after === undefined || !hasFinalizer(after) || !isThere) bound.delete(uid);
}

/** A Service that moves to another load balancer leaves the clients of its published address without traffic. */
export const bindingFixed: Invariant = {
  name: 'BindingFixed',
  statement: 'a Service keeps listeners, groups and backends on the same load balancer while it exists',
  check(history, { evaluated }) {
    const services = new Services();
    /** Bound load balancer of each Service, by its UID. */
    const bound = new Map<string, string>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      unbind(moment, bound);
      if (moment.kind !== 'ended' || !isOurWrite(moment.call) || !ADDS.test(moment.call.action)) return;
      const { call, target } = moment;
      const uid = services.actorOf(call, target)?.metadata.uid;
      if (call.outcome !== 'OK' || target === undefined || uid === undefined) return;
      evaluated();
      const other = bound.get(uid) ?? target.id;
      if (other !== target.id)
        violations.push({
          at,
          found: `${call.action} was sent about ${target.id}, but the Service is bound to ${other}`,
        });
      bound.set(uid, other);
    });
    return violations;
  },
};
