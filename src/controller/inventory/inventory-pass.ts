import { PortcullisError, hasReason } from '../../base/errors.ts';
import type { PrunedFields } from '../../base/crd-pruned-fields.ts';
import {
  CONFIG_MAPS,
  objectKey,
  type KubernetesObject,
  type Resource,
  type Service,
} from '../../base/kubernetes-objects.ts';
import type { Watched } from '../../base/cache-interfaces.ts';
import { INVENTORY_KEY } from '../../inventory/facts-from-caches.ts';
import {
  inventoryWrites,
  loadBalancerStatus,
  servicesByDefaultName,
  type Belongings,
  type InventoryWrite,
} from '../../inventory/load-balancer-status.ts';
import { protectedLoadBalancers, protectedPatch } from '../../inventory/protected-load-balancers.ts';
import type { ClusterFacts } from '../../inventory/configured-cluster-facts.ts';
import type { LoadBalancerBinding } from '../../inventory/binding.ts';
import { orphanKey, withOrphans, type Orphan } from '../../inventory/orphan.ts';
import type { RegionContents } from '../../inventory/missing-load-balancers.ts';
import type { RegionApi } from '../../inventory/cloud-list-api.ts';
import {
  API_GROUP,
  API_VERSION,
  CLASSIC_LOAD_BALANCERS,
  CLOUD_INVENTORIES,
  type ClassicLoadBalancer,
  type ClassicLoadBalancerStatus,
  type CloudInventoryStatus,
} from '../../inventory/custom-resources.ts';
import type { Leadership } from '../../inventory/bindings-after-leader-change.ts';
import type { KubernetesWriter } from '../kubernetes-interface.ts';
import type { OrphanWatch } from './orphan-search.ts';
import { readRegion, type ReadRegion } from './read-region.ts';

/** The dependencies of a pass over the region. A pass reads all load balancers of the region and updates the inventory. */
export interface PassParts {
  readonly region: RegionApi;
  /** Returns the APIs of the cloud that throttled calls lately. */
  readonly throttledApis: () => readonly string[];
  readonly writer: KubernetesWriter;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly services: Watched<Service>;
  readonly bindings: Watched<LoadBalancerBinding>;
  readonly orphans: OrphanWatch;
  readonly prunedFields: PrunedFields;
  readonly regionComparison: RegionContents;
  /** The facts about the cluster, which each pass publishes with the time `observedAt`. */
  readonly cluster: ClusterFacts;
  readonly leadership: Pick<Leadership, 'toRecord' | 'toRecordAtStart'>;
  /** The ids of `--protected-load-balancers`. */
  readonly protectedIds: ReadonlySet<string>;
}

const WRITES_AT_ONCE = 8;
const PROTECTED_KEY = objectKey('portcullis-protected', 'portcullis-system');

/** The result of a complete pass. */
export interface PassResult {
  readonly region: ReadonlyMap<string, ClassicLoadBalancerStatus>;
  /** The confirmed orphans, which the metrics count. */
  readonly orphans: readonly Orphan[];
}

/** Updates the inventory once. If the region cannot be read, writes no load balancer. */
export async function runPass(parts: PassParts, now: () => number, signal: AbortSignal): Promise<PassResult> {
  const lead = parts.leadership.toRecordAtStart();
  // The leadership is recorded at the start, so that the next leader trusts the bindings even if this process stops during its first pass.
  if (lead.leaseTransitions !== undefined)
    // A failure is ignored, because the last write of the pass records the leadership again.
    await Promise.allSettled([writeInventory(lead, parts, signal)]);
  const read = await readRegion(parts.region, () => belongingsIn(parts), signal);
  // The ConfigMap is written first: admission policies need the ConfigMap even if the webhook is down or the CRDs are missing.
  const [protection] = await Promise.allSettled([writeProtected(parts, read, signal)]);
  await ensureInventory(parts, signal);
  requireSynced(parts);
  const orphans = await parts.orphans.orphansIn(read, signal);
  const region = statuses(read, orphans);
  const { regionComparison, bindings } = parts;
  if (bindings.hasSynced()) regionComparison.compare(region, bindings.values());
  await writeAll(inventoryWrites(region, parts.classicLoadBalancers.values(), parts.prunedFields), parts, signal);
  const observedAt = new Date(now()).toISOString();
  const throttledApis = parts.throttledApis();
  const status: CloudInventoryStatus = {
    ...parts.cluster,
    observedAt,
    throttledApis,
    ...parts.leadership.toRecord(),
  };
  await writeInventory(status, parts, signal);
  parts.orphans.completed();
  if (protection.status === 'rejected') throw protection.reason;
  return { region, orphans };
}

const writeInventory = (status: Partial<CloudInventoryStatus>, { writer }: PassParts, signal: AbortSignal) =>
  writer.mergePatch(CLOUD_INVENTORIES, INVENTORY_KEY, { status }, { subresource: 'status' }, signal);

const belongingsIn = ({ cluster, protectedIds, services }: PassParts): Belongings => ({
  clusterId: cluster.clusterId,
  protectedIds,
  services: servicesByDefaultName(services.values()),
});

function statuses(
  { belongings, loadBalancers, listeners }: ReadRegion,
  orphans: readonly Orphan[],
): ReadonlyMap<string, ClassicLoadBalancerStatus> {
  const keys = new Set(orphans.map(orphanKey));
  return new Map(
    loadBalancers.map((each) => {
      const status = loadBalancerStatus(each, listeners.get(each.id) ?? [], belongings);
      return [each.id, withOrphans(each.id, status, keys)];
    }),
  );
}

/** Writes the protected load balancers to a ConfigMap, which admission policies read. */
async function writeProtected(
  { writer, protectedIds }: PassParts,
  { loadBalancers }: ReadRegion,
  signal: AbortSignal,
): Promise<void> {
  const wanted = protectedLoadBalancers(loadBalancers, protectedIds);
  const found = await orAbsent(() => writer.get(CONFIG_MAPS, PROTECTED_KEY, signal));
  if (found === undefined) {
    const metadata = { name: 'portcullis-protected', namespace: 'portcullis-system' };
    await writer.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: wanted }, signal);
    return;
  }
  const data = protectedPatch(wanted, found.data ?? {});
  if (data !== undefined) await writer.mergePatch(CONFIG_MAPS, PROTECTED_KEY, { data }, {}, signal);
}

/** Creates the CloudInventory `default` if it is missing, because a status can be written only to an existing object. Fails without the CRD. */
async function ensureInventory({ writer }: PassParts, signal: AbortSignal): Promise<void> {
  const found = await orAbsent(() => writer.get(CLOUD_INVENTORIES, INVENTORY_KEY, signal));
  if (found === undefined) await create(writer, CLOUD_INVENTORIES, { name: 'default' }, signal);
}

function requireSynced({ classicLoadBalancers, services }: PassParts): void {
  if (classicLoadBalancers.hasSynced() && services.hasSynced()) return;
  throw new PortcullisError('Unavailable', 'the caches of Services and ClassicLoadBalancers have not synced yet');
}

/** Applies all writes, several at once. After a failure, the other writes continue; then rejects with the first failure. */
async function writeAll(writes: readonly InventoryWrite[], parts: PassParts, signal: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  const left = writes.values();
  const work = async (): Promise<void> => {
    for (const write of left) {
      signal.throwIfAborted();
      try {
        await writeLoadBalancers(write, parts, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
}

async function writeLoadBalancers(write: InventoryWrite, parts: PassParts, signal: AbortSignal): Promise<void> {
  const { writer, regionComparison, prunedFields } = parts;
  const key = objectKey(write.name);
  // The Service controller of this process changed the load balancer recently, so the list may be outdated.
  if (regionComparison.mayBeOutdated(write.name)) return;
  if (write.kind === 'delete') {
    await orAbsent(() => writer.delete(CLASSIC_LOAD_BALANCERS, key, { uid: write.uid }, signal));
    return;
  }
  const { name, status } = write;
  const created =
    write.kind === 'create' ? await create(writer, CLASSIC_LOAD_BALANCERS, { name, status }, signal) : undefined;
  const stored = created ?? (await writer.mergePatch(CLASSIC_LOAD_BALANCERS, key, { status }, {}, signal));
  prunedFields.observe(status, stored.status);
}

/** Creates an object, and returns the stored object. Returns undefined if the object exists already. */
async function create<Kind extends KubernetesObject>(
  writer: KubernetesWriter,
  resource: Resource<Kind>,
  { name, ...fields }: { readonly name: string; readonly status?: ClassicLoadBalancerStatus },
  signal: AbortSignal,
): Promise<Kind | undefined> {
  const object = { apiVersion: `${API_GROUP}/${API_VERSION}`, kind: resource.kind, metadata: { name }, ...fields };
  try {
    return await writer.create(resource, object, signal);
  } catch (error) {
    if (hasReason(error, 'Conflict')) return undefined;
    if (!hasReason(error, 'NotFound')) throw error;
    throw new PortcullisError(
      'InvalidConfiguration',
      `the CustomResourceDefinition ${resource.plural}.${API_GROUP} is not installed, so the inventory is not updated; install the definitions from manifests/crds`,
      { cause: error },
    );
  }
}

async function orAbsent<Answer>(act: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await act();
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
