import { isUnread, valueOf } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import { durationText, unreadLine, type StatusLine } from '../line.ts';
import { inventoryStatus } from './inventory.ts';
import { workloadsOf } from '../workloads.ts';

const NAME = 'leader';
/** The maximum difference between the clocks of two machines, in milliseconds. */
const SKEW_MS = 15_000;
/** The time within which a new leader usually updates the CloudInventory `default`, in milliseconds. */
const FIRST_PASS_MS = 3 * 60_000;

const logsCommand = (namespace: string): string =>
  `kubectl -n ${namespace} logs -l app.kubernetes.io/component=controller --tail=20`;

/**
 * Returns whether the leader's first update of the CloudInventory `default` is late. If so, another cloud controller may lead, which never updates
 * it.
 */
function hasReadNothing(facts: StatusFacts, since: number): boolean {
  if (isUnread(facts.inventories)) return false;
  const observed = Date.parse(inventoryStatus(facts)?.observedAt ?? '');
  return facts.now - since > FIRST_PASS_MS && !(observed >= since - SKEW_MS);
}

function replicasText(facts: StatusFacts): string {
  const controllers = workloadsOf(facts).filter(({ component }) => component === 'controller');
  return controllers.map(({ ready, desired }) => `; ${ready} of ${desired} replicas are ready`).join('');
}

/** Returns the line `leader` of `portcullis status`: the controller that holds the Lease `kube-system/ccm`. */
export function leaderLine(facts: StatusFacts): StatusLine {
  const { lease, now, namespace } = facts;
  const unread = unreadLine(NAME, [lease]);
  if (unread !== undefined) return unread;
  const { holderIdentity: holder = '', acquireTime, renewTime, leaseDurationSeconds = 0 } = valueOf(lease)?.spec ?? {};
  const wrong = (text: string, remedy = logsCommand(namespace)): StatusLine => ({
    ...{ name: NAME, level: 'wrong', text: `${text}${replicasText(facts)}`, remedy },
    data: { holder: holder === '' ? null : holder, since: null },
  });
  if (lease.kind === 'absent') return wrong('no controller has ever led: there is no Lease kube-system/ccm');
  if (holder === '') return wrong('no controller leads');
  const silentMs = now - Date.parse(renewTime ?? '');
  if (Number.isNaN(silentMs)) return wrong(`no controller leads: ${holder} has never renewed the Lease`);
  if (!(silentMs <= leaseDurationSeconds * 1_000 + SKEW_MS))
    return wrong(`no controller leads: ${holder} renewed the Lease ${durationText(silentMs)} ago`);
  const since = acquireTime ?? renewTime ?? '';
  const duration = durationText(now - Date.parse(since));
  if (hasReadNothing(facts, Date.parse(since)))
    return wrong(
      `${holder} has led for ${duration} without an update of CloudInventory default: another cloud controller may lead`,
      `${logsCommand(namespace)}; run only one cloud controller: see the page Migrate`,
    );
  return {
    ...{ name: NAME, level: 'ok' },
    text: `${holder} has led for ${duration}${replicasText(facts)}`,
    data: { holder, since },
  };
}
