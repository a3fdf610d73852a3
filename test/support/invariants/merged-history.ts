import type { Audited } from './audit-log.ts';
import { concernedIn, type CloudView, type RecordedCall } from './cloud-recorder.ts';
import type { History, Moment } from './moment.ts';
import { Services } from './ownership.ts';

const LEASE = 'kube-system/ccm';

/** Returns whether a write makes another process the leader. */
function isNewLeader({ happened }: Audited): boolean {
  if (happened.kind !== 'stored' || happened.plural !== 'leases' || happened.key !== LEASE) return false;
  const holder = (object: unknown): string =>
    (object as { readonly spec?: { readonly holderIdentity?: string } } | undefined)?.spec?.holderIdentity ?? '';
  return holder(happened.after) !== '' && holder(happened.after) !== holder(happened.before);
}

/**
 * Returns the time of an event by the cloud's clock, which may differ from other clocks or stand still. The time is between those of the calls before
 * and after.
 */
function cloudTime(atMs: number, before: CloudView | undefined, after: CloudView | undefined): number {
  if (before === undefined) return after === undefined ? atMs : Math.min(atMs, after.cloudMs);
  const sinceMs = before.cloudMs + atMs - before.atMs;
  return after === undefined ? sinceMs : Math.min(sinceMs, after.cloudMs);
}

/** The views of the cloud before and after a change. */
interface Between {
  readonly before: CloudView | undefined;
  readonly after: CloudView | undefined;
}

function momentsOf(audited: Audited, { before, after }: Between, services: Services): readonly Moment[] {
  const { happened, atMs } = audited;
  if (happened.kind === 'emitted') return [happened];
  const cloudMs = cloudTime(atMs, before, after);
  const view = before ?? after;
  const seen =
    view === undefined
      ? ({ loadBalancers: [], elasticAddresses: [], isUnseen: true } as const)
      : concernedIn(view, happened, services, cloudMs);
  const stored: Moment = { ...happened, ...seen, atMs: cloudMs };
  services.pass(stored);
  return isNewLeader(audited) ? [{ kind: 'started' }, stored] : [stored];
}

/** Merges the changes of an API server and the calls of a cloud into one history, for tests with separate processes. */
export function historyOf(audited: readonly Audited[], calls: readonly RecordedCall[]): History {
  const moments: Moment[] = [];
  const services = new Services();
  const coming = calls.values();
  let last: CloudView | undefined;
  let next = coming.next().value;
  for (const one of audited) {
    while (next !== undefined && next.atMs <= one.atMs) {
      moments.push(next.moment);
      last = next.view;
      next = coming.next().value;
    }
    moments.push(...momentsOf(one, { before: last, after: next?.view }, services));
  }
  const rest = next === undefined ? [] : [next, ...coming];
  return [...moments, ...rest.map(({ moment }) => moment)];
}
