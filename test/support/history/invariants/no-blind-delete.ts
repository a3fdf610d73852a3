import type { Invariant, JournalEntry, Violation } from '../moment.ts';
import { isOurs, targetOf } from '../ownership.ts';

const REMOVES = /^(?:Delete(?:LoadBalancer|VServerGroup|RouteEntr)|RemoveVServerGroupBackendServers)/;
/** What removals from a load balancer or a route table are decided on. */
const READS =
  /^Describe(?:LoadBalancerAttribute|LoadBalancerListeners|VServerGroups|VServerGroupAttribute|RouteEntryList)$/;
/** Faults after which the answer cannot have been read. */
const UNREADABLE = /^(?:cut|timeout|late|malformed)/;

/** That something is not there is an answer too. */
const isRead = ({ outcome = '', fault = '' }: JournalEntry): boolean =>
  (outcome === 'OK' || outcome.endsWith('NotFound')) && !UNREADABLE.test(fault);

/** What one read is told by: a repetition or another page takes its place. */
const scopeOf = ({ action, parameters }: JournalEntry): string =>
  [action, ...['LoadBalancerId', 'VServerGroupId', 'RouteTableId'].map((name) => parameters[name] ?? '')].join(' ');

/** The route tables that a call names, in a list or alone. */
const tablesOf = ({ parameters }: JournalEntry): readonly string[] =>
  Object.entries(parameters).flatMap(([name, id]) => (name.endsWith('RouteTableId') ? [id] : []));

export const noBlindDelete: Invariant = {
  name: 'DeletionDeferred',
  says: 'nothing is removed while the last read that it is decided on has failed',
  check(history, { judged }) {
    /** By the read, the load balancer, group or table that it was of; only those that failed. */
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
      judged();
      const about = [group, targetOf(call), ...tablesOf(call)];
      const blind = [...failed].find(([, of]) => about.includes(of));
      if (blind !== undefined)
        violations.push({ at, found: `${call.action} was sent although ${blind[0]} had failed` });
    });
    return violations;
  },
};
