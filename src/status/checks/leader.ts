import { valueOf } from '../attempt.ts';
import type { StatusFacts } from '../facts.ts';
import { durationText, unreadLine, type StatusLine } from '../line.ts';
import { workloadsOf } from './workloads.ts';

const NAME = 'leader';
/** The most that the clocks of two machines may differ, in milliseconds. */
const SKEW_MS = 15_000;

const logsCommand = (namespace: string): string =>
  `kubectl -n ${namespace} logs -l app.kubernetes.io/component=controller --tail=20`;

/** Returns whether the holder is no pod of this installation: a pod has its own name or, on the network of its Node, that of the Node. */
function isOtherController(holder: string, { pods }: StatusFacts): boolean {
  const known = valueOf(pods) ?? [];
  const hosts = known.flatMap(({ metadata, spec }) => [metadata.name, spec?.nodeName ?? metadata.name]);
  return hosts.length > 0 && !hosts.some((host) => holder.includes(host));
}

function replicasText(facts: StatusFacts): string {
  const controllers = workloadsOf(facts).filter(({ component }) => component === 'controller');
  return controllers.map(({ ready, desired }) => `; ${ready} of ${desired} replicas are ready`).join('');
}

/** Returns the line of the controller that leads, by the Lease `kube-system/ccm`. */
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
  if (!(silentMs <= leaseDurationSeconds * 1_000 + SKEW_MS))
    return wrong(`no controller leads: ${holder} renewed the Lease ${durationText(silentMs)} ago`);
  if (isOtherController(holder, facts))
    return wrong(
      `another cloud controller leads: ${holder} is no pod of ${namespace}`,
      'run only one cloud controller: see the page Migrate',
    );
  const since = acquireTime ?? renewTime ?? '';
  return {
    ...{ name: NAME, level: 'ok' },
    text: `${holder} leads since ${durationText(now - Date.parse(since))}${replicasText(facts)}`,
    data: { holder, since },
  };
}
