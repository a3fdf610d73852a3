import type { ObservedCache } from '../../../clb/observe/observe.ts';
import { paidBandwidth } from '../../../clb/model/paid-bandwidth.ts';
import { managesListeners, type Observed } from '../../../clb/model/desired-and-observed-state.ts';
import { listenersOf } from '../../../inventory/load-balancers-by-owner.ts';
import { usageInCloud } from '../../../policy/usage-in-cloud.ts';
import { greatest, NO_USAGE, type Usage } from '../../../policy/usage.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Returns the usage to record at the end of a reconcile; undefined if a part of the usage is unread. */
export function usageAfter(
  { service, desired, hints }: Pick<SyncInputs, 'service' | 'desired' | 'hints'>,
  { observed, invalidated }: ObservedCache,
  { entry: { record, pendingOperations } }: Pick<ReconcileContext, 'entry'>,
  { caches }: { readonly caches: Pick<ServiceDeps['caches'], 'classicLoadBalancers'> },
): Usage | undefined {
  const { admittedUsage = NO_USAGE } = record;
  const isUnread = invalidated.has('listeners');
  if (invalidated.has('load-balancer') || (isUnread && managesListeners(desired.use))) return undefined;
  const has = usageInCloud(desired, observed, hints) ?? NO_USAGE;
  // A pending call can still create resources of the admitted usage.
  if (pendingOperations.size > 0) return greatest(has, admittedUsage);
  // A user-managed load balancer keeps the charge type that the Service set, even after the annotations are removed.
  const bandwidth = Math.min(admittedUsage.bandwidth, paidOf(observed));
  // If listeners are unread, listeners of the Service from an earlier `force-override-listeners` can still exist.
  const listeners = isUnread
    ? (record.admittedUsage?.listeners ?? listenersOf(caches.classicLoadBalancers, service))
    : 0;
  return greatest(has, { ...NO_USAGE, bandwidth, listeners });
}

const paidOf = ({ loadBalancer }: Observed): number => (loadBalancer === undefined ? 0 : paidBandwidth(loadBalancer));
