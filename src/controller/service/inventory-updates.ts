import type { Action } from '../../clb/model/action.ts';
import type { LoadBalancer } from '../../clb/model/load-balancer.ts';
import { paidBandwidth } from '../../clb/model/paid-bandwidth.ts';
import { listenerKey } from '../../clb/model/desired-and-observed-state.ts';
import type { ObservedCache } from '../../clb/observe/observe.ts';
import { defaultLoadBalancerName } from '../../clb/model/naming.ts';
import type { ClusterSettings } from '../../clb/model/cluster-settings.ts';
import { listenerFields, loadBalancerStatus } from '../../inventory/load-balancer-status.ts';
import type { RegionContents } from '../../inventory/missing-load-balancers.ts';
import {
  API_GROUP,
  API_VERSION,
  CLASSIC_LOAD_BALANCERS,
  type ClassicLoadBalancerStatus,
} from '../../inventory/custom-resources.ts';
import type { Logger } from '../../base/log.ts';
import { keyOf, objectKey, type ObjectKey, type Service } from '../../base/kubernetes-objects.ts';
import type { KubernetesCaches, KubernetesWriter } from '../kubernetes-interface.ts';

/** The dependencies of writes to the inventory. */
interface InventoryDeps {
  readonly caches: Pick<KubernetesCaches, 'classicLoadBalancers'>;
  readonly writer: KubernetesWriter;
  /** The changes of load balancers by this process; undefined if this process does not write the inventory. */
  readonly regionComparison?: RegionContents;
  readonly settings: Pick<ClusterSettings, 'clusterId' | 'vpcId'>;
  readonly protectedIds: ReadonlySet<string>;
}

/** The actions that change the charged bandwidth. */
const CHARGE_CHANGES: ReadonlySet<Action['kind']> = new Set(['set-internet-spec', 'set-instance-charge-type']);

const isDeletion = ({ kind }: Action): boolean => kind === 'delete-listener';

/** Returns the new values of the inventory fields that the applied actions (`done`) changed. */
function changedFields(
  { listeners, bandwidth = 0 }: ClassicLoadBalancerStatus,
  loadBalancer: LoadBalancer,
  existing: ReadonlySet<string>,
  { key, done }: { readonly key: ObjectKey; readonly done: readonly Action[] },
): Partial<ClassicLoadBalancerStatus> {
  const left = listeners.filter((listener) => listener.service !== key || existing.has(listenerKey(listener)));
  const paid = paidBandwidth(loadBalancer);
  const isCharged = done.some(({ kind }) => CHARGE_CHANGES.has(kind)) && paid !== bandwidth;
  return {
    ...(left.length === listeners.length ? {} : listenerFields(left)),
    ...(isCharged ? { bandwidth: paid } : {}),
  };
}

/** Removes deleted listeners from the inventory, so that the webhook admits other Services on their ports. Corrects the bandwidth. */
export async function correctInventory(
  service: Service,
  { observed: { loadBalancer, listeners }, invalidated }: ObservedCache,
  deps: InventoryDeps,
  { signal, log }: { readonly signal: AbortSignal; readonly log: () => Logger },
  done: readonly Action[],
): Promise<void> {
  const key = objectKey(loadBalancer?.id ?? '');
  const cached = deps.caches.classicLoadBalancers.get(key);
  const cachedStatus = cached?.status;
  if (cached === undefined || cachedStatus === undefined || loadBalancer === undefined) return;
  const existing = new Set((invalidated.has('listeners') ? cachedStatus.listeners : listeners).map(listenerKey));
  const change = changedFields(cachedStatus, loadBalancer, existing, { key: keyOf(service), done });
  if (change.listeners !== undefined || done.some(isDeletion)) deps.regionComparison?.changed(loadBalancer.id);
  if (Object.keys(change).length === 0) return;
  // The resource version makes this write fail if another Service has corrected the list in the meantime.
  const { resourceVersion } = cached.metadata;
  try {
    await deps.writer.mergePatch(
      CLASSIC_LOAD_BALANCERS,
      key,
      { metadata: { resourceVersion }, status: change },
      {},
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    // The next pass of the inventory controller repairs a failed write.
    log().debug({ err: error, loadBalancer: key }, 'failed to correct the inventory');
  }
}

/** Returns whether the applied actions make the inventory object incorrect. */
export const outdatesInventory = (done: readonly Action[]): boolean =>
  done.some((action) => CHARGE_CHANGES.has(action.kind) || isDeletion(action));

/** Adds a new owned load balancer to the inventory. Never rejects. */
export async function addToInventory(
  service: Service,
  loadBalancer: LoadBalancer,
  deps: InventoryDeps,
  { signal, log }: { readonly signal: AbortSignal; readonly log: () => Logger },
): Promise<void> {
  if (deps.regionComparison === undefined) return;
  deps.regionComparison.changed(loadBalancer.id);
  const status = loadBalancerStatus({ vpcId: deps.settings.vpcId, ...loadBalancer }, [], {
    clusterId: deps.settings.clusterId,
    protectedIds: deps.protectedIds,
    services: new Map([[defaultLoadBalancerName(service.metadata.uid), keyOf(service)]]),
  });
  const metadata = { name: loadBalancer.id };
  const object = { apiVersion: `${API_GROUP}/${API_VERSION}`, kind: CLASSIC_LOAD_BALANCERS.kind, metadata, status };
  const key = objectKey(loadBalancer.id);
  try {
    // Without this object, a deletion of the new load balancer by a user could stay unnoticed.
    await deps.writer.create(CLASSIC_LOAD_BALANCERS, object, signal);
  } catch (error) {
    // The next pass of the inventory controller repairs a failed write.
    log().debug({ err: error, loadBalancer: key }, 'failed to add the load balancer to the inventory');
  }
}
