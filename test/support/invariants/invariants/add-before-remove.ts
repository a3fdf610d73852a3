import { groupIn } from '../call-parameters.ts';
import type { Invariant, JournalEntry, Violation } from '../moment.ts';
import { isOurWrite } from '../ownership.ts';

/** Milliseconds within which two calls belong to one reconcile. A backend that is added later may not have been ready at the removal. */
const ONE_RECONCILE_MS = 1_000;

const isInOneReconcile = (earlier: JournalEntry | undefined, later: JournalEntry): boolean =>
  earlier !== undefined && Date.parse(later.time) - Date.parse(earlier.time) < ONE_RECONCILE_MS;

const isRejectedForQuota = ({ outcome = '' }: JournalEntry): boolean => /Limit|Quota/.test(outcome);

/** Records a change of a group. Returns the removal that came just before an addition. */
function exchange(shrunk: Map<string, JournalEntry>, group: string, call: JournalEntry): JournalEntry | undefined {
  if (call.action === 'RemoveVServerGroupBackendServers') shrunk.set(group, call);
  const earlier = shrunk.get(group);
  return call.action === 'AddVServerGroupBackendServers' && isInOneReconcile(earlier, call) ? earlier : undefined;
}

/** A removal before the addition leaves a port with fewer backends, or with none, for a moment. */
export const addBeforeRemove: Invariant = {
  name: 'AddBeforeRemove',
  statement: 'backends are added before removals, up to the limit of backends, and no listener is stopped',
  check(history, { evaluated }) {
    /** The groups with a removed backend, until a change that can affect the wanted backends. */
    const shrunk = new Map<string, JournalEntry>();
    /** The load balancers that rejected a further backend. */
    const full = new Set<string>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (moment.kind === 'stored' || moment.kind === 'started') shrunk.clear();
      if (moment.kind !== 'ended' || !isOurWrite(moment.call)) return;
      const { call, target } = moment;
      const id = target?.id ?? '';
      if (isRejectedForQuota(call)) full.add(id);
      if (call.action === 'StopLoadBalancerListener') {
        evaluated();
        violations.push({ at, found: 'a listener was stopped' });
      }
      const group = groupIn(call, target);
      if (call.outcome !== 'OK' || group === undefined || full.has(id)) return;
      evaluated();
      const before = exchange(shrunk, group.id, call);
      if (before !== undefined) violations.push({ at, found: `backends were added to ${group.id} after a removal` });
    });
    return violations;
  },
};
