import type { Action } from '../../clb/model/action.ts';
import type { LoadBalancer } from '../../clb/model/load-balancer.ts';
import { paidBandwidth } from '../../clb/model/paid-bandwidth.ts';
import { listenerKey, type Observed, type Use } from '../../clb/model/state.ts';
import { defaultLoadBalancerName } from '../../clb/model/naming.ts';
import type { ClusterSettings } from '../../clb/model/settings.ts';
import type { DeletedListeners } from '../../inventory/deleted-listeners.ts';
import { loadBalancerStatus } from '../../inventory/load-balancer-status.ts';
import type { RegionContents } from '../../inventory/region-contents.ts';
import {
  API_GROUP,
  API_VERSION,
  CLASSIC_LOAD_BALANCERS,
  type ClassicLoadBalancerStatus,
} from '../../inventory/resource.ts';
import { listenersRequestedBy } from '../../inventory/reuse.ts';
import type { Logger } from '../../base/log.ts';
import { keyOf, objectKey, type Service } from '../../base/objects.ts';
import type { KubernetesCaches, KubernetesWriter } from '../port.ts';

/** The dependencies of corrections to the inventory. */
interface InventoryDeps {
  readonly caches: Pick<KubernetesCaches, 'classicLoadBalancers'>;
  readonly writer: KubernetesWriter;
  readonly deletedListeners: DeletedListeners;
}

/** Remembers an applied creation or deletion of a listener. */
export function rememberListener(action: Action, { loadBalancer }: Observed, listeners: DeletedListeners): void {
  if (loadBalancer === undefined) return;
  if (action.kind === 'delete-listener') listeners.deleted(loadBalancer.id, action.listener);
  if (action.kind === 'create-listener') listeners.created(loadBalancer.id, action.listener);
}

/** Remembers the missing requested listeners of a Service in cleanup as deleted: an earlier process may have deleted them. */
export function rememberGone(service: Service, use: Use, { listeners }: Observed, deleted: DeletedListeners): void {
  if (use.kind !== 'reused') return;
  const there = new Set(listeners.map(listenerKey));
  for (const requested of listenersRequestedBy(service))
    if (!there.has(listenerKey(requested))) deleted.deleted(use.id, requested);
}

/** The actions that change the charged bandwidth. */
const CHARGE_CHANGES: ReadonlySet<Action['kind']> = new Set(['set-internet-spec', 'set-instance-charge-type']);

/** Returns the corrections of an inventory object. A reconcile with its `done` actions is newer than the last pass over the region. */
function outdated(
  { listeners, bandwidth = 0 }: ClassicLoadBalancerStatus,
  loadBalancer: LoadBalancer,
  { deletedListeners, done }: Pick<InventoryDeps, 'deletedListeners'> & { readonly done: readonly Action[] },
): Partial<ClassicLoadBalancerStatus> {
  const left = deletedListeners.without(objectKey(loadBalancer.id), listeners);
  const paid = paidBandwidth(loadBalancer);
  const isCharged = done.some(({ kind }) => CHARGE_CHANGES.has(kind)) && paid !== bandwidth;
  return {
    ...(left.length === listeners.length ? {} : { listeners: left }),
    ...(isCharged ? { bandwidth: paid } : {}),
  };
}

/**
 * Removes deleted listeners and corrects the bandwidth in the inventory, so that admission frees them before the next pass over the region. Costs no
 * cloud call, and no write without a change. The next pass repairs a failed write.
 */
export async function correctInventory(
  { loadBalancer }: Observed,
  { caches, writer, deletedListeners }: InventoryDeps,
  { signal, log }: { readonly signal: AbortSignal; readonly log: () => Logger },
  done: readonly Action[] = [],
): Promise<void> {
  const key = objectKey(loadBalancer?.id ?? '');
  const status = caches.classicLoadBalancers.get(key)?.status;
  if (status === undefined || loadBalancer === undefined) return;
  const change = outdated(status, loadBalancer, { deletedListeners, done });
  if (Object.keys(change).length === 0) return;
  try {
    await writer.mergePatch(CLASSIC_LOAD_BALANCERS, key, { status: change }, {}, signal);
  } catch (error) {
    signal.throwIfAborted();
    log().debug({ err: error, loadBalancer: key }, 'failed to correct the inventory');
  }
}

/** The dependencies of additions to the inventory. */
interface AdditionDeps extends Pick<InventoryDeps, 'writer'> {
  readonly regionContents?: RegionContents;
  readonly settings: Pick<ClusterSettings, 'clusterId' | 'vpcId'>;
  readonly protectedIds: ReadonlySet<string>;
}

/**
 * Adds an owned load balancer to the inventory, so that a deletion before the next pass over the region shows. Never rejects: the next pass repairs a
 * failed write. Does nothing if this process does not keep the inventory.
 */
export async function addToInventory(
  service: Service,
  loadBalancer: LoadBalancer,
  { writer, regionContents, settings, protectedIds }: AdditionDeps,
  { signal, log }: { readonly signal: AbortSignal; readonly log: () => Logger },
): Promise<void> {
  if (regionContents === undefined) return;
  regionContents.created(loadBalancer.id);
  const services = new Map([[defaultLoadBalancerName(service.metadata.uid), keyOf(service)]]);
  const belongings = { clusterId: settings.clusterId, protectedIds, services };
  const status = loadBalancerStatus({ vpcId: settings.vpcId, ...loadBalancer }, [], belongings);
  const metadata = { name: loadBalancer.id };
  const object = { apiVersion: `${API_GROUP}/${API_VERSION}`, kind: CLASSIC_LOAD_BALANCERS.kind, metadata, status };
  const key = objectKey(loadBalancer.id);
  try {
    await writer.create(CLASSIC_LOAD_BALANCERS, object, signal);
  } catch (error) {
    log().debug({ err: error, loadBalancer: key }, 'failed to add the load balancer to the inventory');
  }
}
