import type { LoadBalancerBinding } from '../../../../src/inventory/binding.ts';
import type { Invariant, Violation } from '../moment.ts';
import { isOfBinding, isOurWrite, Services } from '../ownership.ts';

/** Returns whether a binding admits what a call creates. */
function isAdmitted(action: string, binding: LoadBalancerBinding | undefined): boolean {
  const { loadBalancers = 0, listeners = 0 } = binding?.spec.admittedUsage ?? {};
  return action === 'CreateLoadBalancer' ? loadBalancers > 0 : listeners > 0;
}

const CREATION = /^CreateLoadBalancer(?:TCP|UDP|HTTP|HTTPS)?(?:Listener)?$/;

/** Without the record, a quota would not count the resource after a crash, and would admit too much. */
export const usageRecorded: Invariant = {
  name: 'UsageRecorded',
  statement: 'the admitted usage is in the binding before a load balancer or a listener is created',
  check(history, { evaluated }) {
    const services = new Services();
    /** UIDs of Services whose binding a user wrote last. They are exempt, because the user is responsible for the effects. */
    const tampered = new Set<string>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (isOfBinding(moment)) {
        if (moment.by === 'others') tampered.add(moment.key);
        else tampered.delete(moment.key);
      }
      if (moment.kind !== 'sent' || !isOurWrite(moment.call) || !CREATION.test(moment.call.action)) return;
      const service = services.actorOf(moment.call, moment.target);
      if (service === undefined || tampered.has(service.metadata.uid)) return;
      evaluated();
      if (isAdmitted(moment.call.action, services.bindingOf(service.metadata.uid))) return;
      violations.push({
        at,
        found: `${moment.call.action} was sent while the binding of ${service.metadata.name} admitted none`,
      });
    });
    return violations;
  },
};
