import type { Registry } from 'prom-client';
import { spreadMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { isNetworkAvailable, isNetworkRouted } from '../../node/network-condition.ts';
import { objectKey, type Node } from '../../base/kubernetes-objects.ts';
import type { Controller } from '../../reconcile/manager.ts';
import type { QueueMetrics } from '../../reconcile/metrics.ts';
import { WorkQueue } from '../../reconcile/queue.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import { isRouted, podCidrs } from '../../route/desired.ts';
import type { InstanceApi } from '../../node/instance-api.ts';
import type { RouteApi } from '../../route/route-api.ts';
import type { RouteSettings } from '../../route/settings.ts';
import type { Watched } from '../../base/cache-interfaces.ts';
import { routeGauge, routeMetrics } from '../metrics.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from '../kubernetes-interface.ts';
import { dedupeWarnings } from '../warning-deduplication.ts';
import { OwnVpc } from '../../route/own-vpc-proof.ts';
import { RouteApplier } from '../../route/apply.ts';
import { contradict } from './conditions.ts';
import { RouteTables } from '../../route/route-table-cache.ts';
import { FailureDuration } from '../../route/failure-duration.ts';
import { routeTraits, reconcileRoutes, type RouteReconcileParts } from './reconcile.ts';

export interface RouteControllerParts {
  readonly nodes: Watched<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly routes: RouteApi;
  readonly instances: Pick<InstanceApi, 'describe'>;
  readonly settings: RouteSettings;
  readonly vpcId: string;
  readonly tableIds: readonly string[];
  readonly target: EventTarget;
  /** The time after which tables are read again without a change, in milliseconds. */
  readonly auditMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queueMetrics: QueueMetrics;
  readonly registry: Registry;
  /** Returns a random number from 0 up to 1, for the jitter of the audit interval. */
  readonly random: () => number;
}

/** The queue key of all routes. The cloud accepts one change at a time, so a reconcile covers all routes. */
const ALL = 'routes';
/** The prefix of the queue key of a single Node. The reconcile of a single Node calls no cloud API. */
const ONE = 'node/';
/** The time for which a change of a Node waits for more changes, which share a call, in milliseconds. */
const GATHER_MS = {
  change: 200,
  // No pod needs the routes of a deleted Node.
  deletion: 1_000,
};

const rangesOf = (node: Node | undefined): ReadonlySet<string> =>
  new Set(node === undefined ? [] : podCidrs(node).map((cidr) => (typeof cidr === 'string' ? cidr : cidr.text)));

/** Returns whether another component, which does not check routes, declared the network of a routed Node available. */
const isMisclassified = (node: Node | undefined, settings: RouteSettings): node is Node =>
  node !== undefined && isNetworkAvailable(node) && !isNetworkRouted(node) && isRouted(node, settings);

/** Returns the route controller. Call only while the process leads and the cache is synced. */
export function routeController(parts: RouteControllerParts): Controller {
  const { nodes, routes, vpcId, tableIds, auditMs, clock, settings, queueMetrics } = parts;
  const queue = new WorkQueue({ name: 'route', clock, metrics: queueMetrics });
  // Cached tables expire after the shortest audit interval that jitter can give, so that every audit reads them again.
  const shortestAuditMs = spreadMs(auditMs, () => 0);
  const tables = new RouteTables({
    ...{ api: routes, vpcId, tableIds, clusterCidrs: settings.clusterCidrs, auditMs: shortestAuditMs, clock },
  });
  routeGauge(parts.registry, () => tables.sizes());
  const recordDuration = routeMetrics(parts.registry);
  const events = dedupeWarnings(parts.events, clock);
  const applier = new RouteApplier(routes, tables, clock, recordDuration);
  const reconcileParts = {
    ...parts,
    events,
    tables,
    applier,
    ownVpc: new OwnVpc(parts.instances, vpcId),
    trouble: new FailureDuration(clock),
  };
  const traits = (node: Node | undefined): string => (node === undefined ? '' : routeTraits(node, settings));
  nodes.onChange(({ before, after }) => {
    if (traits(before) === traits(after)) return;
    if (isMisclassified(after, settings)) queue.add(`${ONE}${after.metadata.name}`, 'urgent');
    applier.retry(rangesOf(after));
    queue.addAfter(ALL, after === undefined ? GATHER_MS.deletion : GATHER_MS.change);
  });
  queue.add(ALL);
  const reconcile = async (key: string, signal: AbortSignal): Promise<ReconcileResult> => {
    if (key !== ALL) return correctCondition(reconcileParts, key.slice(ONE.length), signal);
    const since = clock.monotonic();
    const result = await reconcileRoutes(reconcileParts, signal);
    recordDuration('reconcile', clock.monotonic() - since);
    return result;
  };
  return { name: 'route', queue, reconcile, workers: 1, urgentWorkers: 1 };
}

/** Corrects the condition of a single Node at once, because a reconcile of all routes can take minutes. */
async function correctCondition(
  parts: RouteReconcileParts,
  name: string,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const node = parts.nodes.get(objectKey(name));
  const tables = parts.tables.lastRead();
  if (isMisclassified(node, parts.settings) && tables !== undefined) await contradict(parts, node, tables, signal);
  return 'done';
}
