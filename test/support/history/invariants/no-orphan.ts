import type { Invariant, Stored, Violation } from '../moment.ts';
import { isOurs, Services } from '../ownership.ts';

export const noOrphan: Invariant = {
  name: 'NoOrphan',
  says: 'nothing of ours comes to be for a Service that is gone, or that nothing holds any more',
  check(history) {
    const services = new Services();
    /** Services that somebody else has forced away: what was under way for them nobody can take back. */
    const forced = new Set<string>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (moment.kind === 'stored') note(moment, forced);
      services.pass(moment);
      if (moment.kind !== 'ended' || !isOurs(moment.call) || moment.call.outcome !== 'OK') return;
      const { call, target } = moment;
      if (!/^Create(?:LoadBalancer|VServerGroup)/.test(call.action)) return;
      const service = services.actorOf(call, target);
      if (service === undefined || services.exists(service) || forced.has(service.metadata.uid)) return;
      violations.push({ at, found: `${call.action} took effect for ${service.metadata.name}, which is gone` });
    });
    return violations;
  },
};

function note({ by, before }: Stored, forced: Set<string>): void {
  if (before === undefined) return;
  if (by === 'others') forced.add(before.metadata.uid);
  else forced.delete(before.metadata.uid);
}
