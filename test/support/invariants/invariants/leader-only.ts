import type { Lease } from '../../../../src/base/kubernetes-objects.ts';
import type { Invariant, Moment, Stored, Violation } from '../moment.ts';
import { isOurWrite } from '../ownership.ts';

const KEY = 'kube-system/ccm';
/** The maximum duration of a changing call, in milliseconds. */
const CALL_MS = 8_000;

const isOfLease = (moment: Moment): moment is Stored =>
  moment.kind === 'stored' && moment.plural === 'leases' && moment.key === KEY;

/** The holder of a Lease and its expiry, in milliseconds since the epoch. */
interface Tenure {
  readonly holder: string;
  readonly until: number;
  /** The time until which no changes are allowed, because calls of the previous leader may still be pending. */
  readonly quietUntil: number;
}

function tenureOf({ spec }: Lease): Tenure | undefined {
  const { holderIdentity: holder = '', renewTime = '', leaseDurationSeconds = 0 } = spec ?? {};
  if (holder === '') return undefined;
  return { holder, until: Date.parse(renewTime) + leaseDurationSeconds * 1_000, quietUntil: 0 };
}

/** Returns the tenure after a change of the Lease. After a released or deleted Lease, no calls are pending, so the next leader need not wait. */
function after(before: Tenure | undefined, { after: lease }: Stored): Tenure | undefined {
  const tenure = lease === undefined ? undefined : tenureOf(lease as Lease);
  if (tenure === undefined || before === undefined) return tenure;
  const quietUntil = before.holder === tenure.holder ? before.quietUntil : before.until + CALL_MS;
  return { ...tenure, quietUntil };
}

/** Two controllers that write at a time can create two load balancers, or undo the changes of each other. */
export const leaderOnly: Invariant = {
  name: 'LeaderOnly',
  statement: 'changing calls are sent only while the Lease outlasts them, after those of the previous leader',
  check(history, { evaluated }) {
    let isElected = false;
    let tenure: Tenure | undefined;
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      if (isOfLease(moment)) {
        isElected = true;
        tenure = after(tenure, moment);
      }
      if (!isElected || moment.kind !== 'sent' || !isOurWrite(moment.call)) return;
      evaluated();
      const { action, time } = moment.call;
      const sentAt = Date.parse(time);
      if (tenure === undefined) violations.push({ at, found: `${action} was sent without a leader` });
      else if (tenure.until - sentAt < CALL_MS)
        violations.push({ at, found: `${action} was sent ${tenure.until - sentAt} ms before the Lease ended` });
      else if (sentAt < tenure.quietUntil)
        violations.push({ at, found: `${action} was sent while calls of the previous leader could be in progress` });
    });
    return violations;
  },
};
