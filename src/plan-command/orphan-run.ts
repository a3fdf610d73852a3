import type { ControllerConfig } from '../controller/config-from-flags.ts';
import { NO_CLUSTER_ID } from '../base/default-cluster-id.ts';
import { hasReason, PortcullisError } from '../base/errors.ts';
import { LOAD_BALANCER_BINDINGS } from '../inventory/binding.ts';
import { INVENTORY_KEY } from '../inventory/facts-from-caches.ts';
import { canDetectOrphans, type ClusterRecords } from '../inventory/orphan.ts';
import { CLOUD_INVENTORIES } from '../inventory/custom-resources.ts';
import type { ClusterReader } from '../kubernetes/cluster-reader.ts';
import { NAMESPACES, objectKey, SERVICES } from '../base/kubernetes-objects.ts';
import { orphansIn, type OrphanFinding } from './orphan-search.ts';
import { reachBoth, type ReachRequest } from './cluster-and-cloud.ts';

/** The request for a search for orphans, from the flags of the command. */
interface OrphanRequest extends ReachRequest {
  readonly config: ReachRequest['config'] & Pick<ControllerConfig, 'protectedLoadBalancers'>;
}

/**
 * Finds the orphans of a cluster, for `portcullis plan --orphans`. Rejects with `InvalidConfiguration` if resources of another cluster could look
 * like orphans.
 */
export async function findAllOrphans(request: OrphanRequest): Promise<readonly OrphanFinding[]> {
  const { config, signal } = request;
  const { cloud, cloudConfig, reader: opened } = await reachBoth(request);
  await using reader = opened;
  const { clusterId } = cloudConfig;
  await requireThisCluster(clusterId, reader, signal);
  const readRecords = (): Promise<Omit<ClusterRecords, 'clusterId'>> => recordsOf(reader, signal);
  return await orphansIn({ ...cloud, clusterId, protectedIds: config.protectedLoadBalancers, readRecords }, signal);
}

/**
 * Throws unless kubeconfig and cloud-config certainly belong to the same cluster, because all resources of another cluster would look like orphans.
 */
async function requireThisCluster(clusterId: string, reader: ClusterReader, signal: AbortSignal): Promise<void> {
  if (!canDetectOrphans(clusterId))
    throw new PortcullisError(
      'InvalidConfiguration',
      `cloud-config: Global.clusterID is not set; several clusters share the default ${NO_CLUSTER_ID}, so orphans of this cluster cannot be identified`,
    );
  const running = (await reader.find(CLOUD_INVENTORIES, INVENTORY_KEY, signal))?.status?.clusterId;
  if (running === clusterId) return;
  throw new PortcullisError(
    'InvalidConfiguration',
    running === undefined
      ? 'the cluster has no CloudInventory default with a status, so the id of the cluster is not proven; wait until the controller has read the region'
      : `cloud-config: Global.clusterID is ${JSON.stringify(clusterId)}, but the controller of this cluster runs with ${JSON.stringify(running)}, according to CloudInventory default; use the cloud-config of that controller`,
  );
}

async function recordsOf(reader: ClusterReader, signal: AbortSignal): Promise<Omit<ClusterRecords, 'clusterId'>> {
  const system = await reader.find(NAMESPACES, objectKey('kube-system'), signal);
  if (system === undefined) throw new PortcullisError('Unavailable', 'the cluster has no namespace kube-system');
  // Bindings are listed before Services, because a binding is created after its Service.
  const bindings = await listBindings(reader, signal);
  return { clusterUid: system.metadata.uid, bindings, services: await reader.list(SERVICES, {}, signal) };
}

/** Returns the bindings of the cluster. Returns an empty list if their CRD is not installed. */
async function listBindings(reader: ClusterReader, signal: AbortSignal): Promise<ClusterRecords['bindings']> {
  try {
    return await reader.list(LOAD_BALANCER_BINDINGS, {}, signal);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return [];
    throw error;
  }
}
