import type { Invariant, Stored, Violation } from '../moment.ts';
import { NodeRanges } from '../node-ranges.ts';
import { isOurs, Services } from '../ownership.ts';

/** A resource without its Service or Node costs money, and no one deletes it. */
export const noOrphan: Invariant = {
  name: 'NoOrphan',
  statement: 'no resource is created for a deleted Service, and no route for a deleted Node',
  check(history, { evaluated }) {
    const services = new Services();
    /** Services whose finalizer another writer removed. The controller cannot undo their pending operations. */
    const forced = new Set<string>();
    const ranges = new NodeRanges();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      ranges.pass(moment);
      if (moment.kind === 'stored') note(moment, forced);
      services.pass(moment);
      if (moment.kind === 'sent' && isOurs(moment.call) && moment.call.action.startsWith('CreateRouteEntr')) {
        evaluated();
        for (const range of ranges.foreignRoutesIn(moment.call))
          violations.push({ at, found: `a route for ${range} was created, which is the range of no Node` });
      }
      if (moment.kind !== 'ended' || !isOurs(moment.call) || moment.call.outcome !== 'OK') return;
      const { call, target } = moment;
      if (!/^Create(?:LoadBalancer|VServerGroup)/.test(call.action)) return;
      const service = services.actorOf(call, target);
      evaluated();
      if (service === undefined || services.exists(service) || forced.has(service.metadata.uid)) return;
      violations.push({ at, found: `${call.action} took effect for ${service.metadata.name}, which does not exist` });
    });
    return violations;
  },
};

function note({ by, before }: Stored, forced: Set<string>): void {
  if (before === undefined) return;
  if (by === 'others') forced.add(before.metadata.uid);
  else forced.delete(before.metadata.uid);
}
