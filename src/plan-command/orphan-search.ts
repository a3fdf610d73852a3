import type { LoadBalancerId, VServerGroupId } from '../clb/model/ids.ts';
import type { ListenerKey, ObservedListener } from '../clb/model/listener.ts';
import { REUSED_TAG } from '../clb/model/naming.ts';
import type { ClbApi } from '../clb/model/clb-api.ts';
import type { VServerGroup } from '../clb/model/server-group.ts';
import { readRegion } from '../controller/inventory/read-region.ts';
import { findOrphans, type ClusterRecords, type Orphan } from '../inventory/orphan.ts';
import type { RegionApi } from '../inventory/cloud-list-api.ts';
import { sideBySide } from '../base/concurrent-tasks.ts';
import type { CallContext } from '../plan/call-context.ts';

type Kind<Name extends Orphan['kind']> = Extract<Orphan, { readonly kind: Name }>;

/** An orphan, with the parts that a deletion would remove, or with the obstacles to a deletion. */
export type OrphanFinding =
  | (Kind<'load-balancer'> & {
      readonly name: string;
      readonly address: string;
      readonly isProtected: boolean;
      readonly listeners: readonly ListenerKey[];
      readonly groups: readonly VServerGroup[];
    })
  | Kind<'listener'>
  /** `usedBy` are listeners that stay and prevent the deletion of the group. */
  | (Kind<'server-group'> & { readonly usedBy: readonly ListenerKey[] })
  | Kind<'binding'>;

/** The APIs and settings with which orphans are found. */
export interface OrphanSources {
  readonly region: RegionApi;
  readonly clb: Pick<ClbApi, 'read' | 'listListeners' | 'listServerGroups'>;
  readonly clusterId: string;
  readonly protectedIds: ReadonlySet<string>;
  /** Reads Services and bindings from the API server, after the region. */
  readonly readRecords: (signal: AbortSignal) => Promise<Omit<ClusterRecords, 'clusterId'>>;
}

const AT_A_TIME = 4;

const keyOnly = ({ port, protocol }: ListenerKey): ListenerKey => ({ port, protocol });

/** Returns the orphans, and changes nothing. Reads the cluster after the region, so that the Service of a new load balancer is not missing. */
export async function orphansIn(sources: OrphanSources, signal: AbortSignal): Promise<readonly OrphanFinding[]> {
  const { region, clb, clusterId, protectedIds } = sources;
  const context: CallContext = { signal, lane: 'audit', namespace: '' };
  const read = await readRegion(region, () => ({ clusterId, protectedIds, services: new Map() }), signal);
  const reused = read.loadBalancers.filter(({ owner, tags }) => owner === 'user' && tags[REUSED_TAG] !== undefined);
  const groups = await sideBySide(
    reused,
    AT_A_TIME,
    async ({ id }) => [id, await clb.listServerGroups(id, context)] as const,
  );
  const records = await sources.readRecords(signal);
  const orphans = findOrphans({ ...read, groups: new Map(groups) }, { clusterId, ...records });
  const found = await sideBySide(orphans, AT_A_TIME, (orphan) => findingOf(orphan, orphans, clb, context));
  return found.filter((finding) => finding !== undefined);
}

/** Reads the parts of an orphan. Returns undefined for a load balancer that was deleted after the region was read. */
async function findingOf(
  orphan: Orphan,
  orphans: readonly Orphan[],
  clb: OrphanSources['clb'],
  context: CallContext,
): Promise<OrphanFinding | undefined> {
  if (orphan.kind === 'load-balancer') return loadBalancerFinding(orphan, clb, context);
  if (orphan.kind !== 'server-group') return orphan;
  const listeners = await clb.listListeners(orphan.loadBalancer as LoadBalancerId, context);
  return { ...orphan, usedBy: usersOf(orphan.id as VServerGroupId, listeners, orphans, orphan.loadBalancer) };
}

/** Returns the listeners that use a group and are no orphans. */
const usersOf = (
  group: VServerGroupId,
  listeners: readonly ObservedListener[],
  orphans: readonly Orphan[],
  loadBalancer: string,
): readonly ListenerKey[] =>
  listeners
    .filter(({ groupId }) => groupId === group)
    .filter(
      ({ port, protocol }) =>
        !orphans.some(
          (each) =>
            each.kind === 'listener' &&
            each.loadBalancer === loadBalancer &&
            each.port === port &&
            each.protocol === protocol,
        ),
    )
    .map(keyOnly);

async function loadBalancerFinding(
  orphan: Kind<'load-balancer'>,
  clb: OrphanSources['clb'],
  context: CallContext,
): Promise<OrphanFinding | undefined> {
  const id = orphan.id as LoadBalancerId;
  const there = await clb.read(id, context);
  if (there === undefined) return undefined;
  const listeners = await clb.listListeners(id, context);
  const groups = await clb.listServerGroups(id, context);
  const { name, address, deleteProtection } = there;
  const isProtected = deleteProtection === 'on';
  return { ...orphan, name, address, isProtected, listeners: listeners.map(keyOnly), groups };
}
