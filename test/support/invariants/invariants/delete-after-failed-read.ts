import type { Invariant, JournalEntry, Violation } from '../moment.ts';
import { isOurs, targetOf } from '../ownership.ts';

const REMOVES = /^(?:Delete(?:LoadBalancer|VServerGroup|RouteEntr)|RemoveVServerGroupBackendServers)/;
/** Reads that removals from a load balancer or a route table depend on. */
const READS =
  /^Describe(?:LoadBalancerAttribute|LoadBalancerListeners|VServerGroups|VServerGroupAttribute|RouteEntryList)$/;
/** Faults that make the answer unreadable. */
const UNREADABLE = /^(?:cut|timeout|late|malformed)/;

/** Returns whether a call has a readable answer. A NotFound error is readable too. */
const isRead = ({ outcome = '', fault = '' }: JournalEntry): boolean =>
  (outcome === 'OK' || outcome.endsWith('NotFound')) && !UNREADABLE.test(fault);

/** Returns the identity of a read. A repetition or another page has the same identity. */
const scopeOf = ({ action, parameters }: JournalEntry): string =>
  [action, ...['LoadBalancerId', 'VServerGroupId', 'RouteTableId'].map((name) => parameters[name] ?? '')].join(' ');

/** Returns the route tables that a call names, in a list or as a single parameter. */
const tablesOf = ({ parameters }: JournalEntry): readonly string[] =>
  Object.entries(parameters).flatMap(([name, id]) => (name.endsWith('RouteTableId') ? [id] : []));

/** A failed read does not prove that a resource is unused, so a deletion after it may hit a live resource. */
export const deleteAfterFailedRead: Invariant = {
  name: 'DeletionDeferred',
  statement: 'no resource is removed after a failed read of its state',
  check(history, { evaluated }) {
    /** Load balancer, group or table of each failed read, by the identity of the read. */
    const failed = new Map<string, string>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (moment.kind === 'started') failed.clear();
      if (moment.kind !== 'sent' || !isOurs(moment.call)) return;
      const { call } = moment;
      const { LoadBalancerId: id, VServerGroupId: group } = call.parameters;
      if (READS.test(call.action)) {
        if (isRead(call)) failed.delete(scopeOf(call));
        else failed.set(scopeOf(call), group ?? id ?? tablesOf(call).join());
      }
      if (!REMOVES.test(call.action)) return;
      evaluated();
      const about = [group, targetOf(call), ...tablesOf(call)];
      const blind = [...failed].find(([, of]) => about.includes(of));
      if (blind !== undefined) violations.push({ at, found: `${call.action} was sent after a failed ${blind[0]}` });
    });
    return violations;
  },
};
