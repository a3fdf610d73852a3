import type { Invariant, Stored, Violation } from '../moment.ts';
import { NodeRanges } from '../node-ranges.ts';
import { isOurs, Services } from '../ownership.ts';

/** A resource without its Service or Node costs money, and no one deletes it. */
export const noOrphan: Invariant = {
  name: 'NoOrphan',
  statement: 'no resource is created for a deleted Service, and no route for a deleted Node',
  check(history, { evaluated }) {
    const services = new Services();
    /**
     * The objects that another writer changed last. They are exempt, because the controller cannot undo pending operations if a user removed the
     * finalizer.
     */
    const changedByOthers = new Set<string>();
    const ranges = new NodeRanges();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      ranges.pass(moment);
      if (moment.kind === 'stored') recordWriter(moment, changedByOthers);
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
      if (service === undefined || services.exists(service) || changedByOthers.has(service.metadata.uid)) return;
      violations.push({ at, found: `${call.action} took effect for ${service.metadata.name}, which does not exist` });
    });
    return violations;
  },
};

function recordWriter({ by, before }: Stored, changedByOthers: Set<string>): void {
  if (before === undefined) return;
  if (by === 'others') changedByOthers.add(before.metadata.uid);
  else changedByOthers.delete(before.metadata.uid);
}
