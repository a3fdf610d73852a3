import type { Invariant, Violation } from '../moment.ts';
import { isOurs, Services } from '../ownership.ts';

const CREATES = /^Create(?:LoadBalancer|VServerGroup)/;

/** Without the finalizer, a deletion of the Service would leave its resources in the cloud. */
export const finalizerFirst: Invariant = {
  name: 'FinalizerFirst',
  statement: 'no load balancer, listener or group of ours is created before the finalizer is stored',
  check(history, { evaluated }) {
    const services = new Services();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (moment.kind !== 'sent' || !isOurs(moment.call) || !CREATES.test(moment.call.action)) return;
      evaluated();
      const { call, target } = moment;
      const service = services.actorOf(call, target);
      if (service !== undefined && services.wasManaged(service)) return;
      const whose = service === undefined ? 'no Service' : `${service.metadata.name}, which never had the finalizer`;
      violations.push({ at, found: `${call.action} was sent for ${whose}` });
    });
    return violations;
  },
};
