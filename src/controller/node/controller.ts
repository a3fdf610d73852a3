import { isDeepStrictEqual } from 'node:util';
import type { Registry } from 'prom-client';
import { spreadMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { PROVIDED_NODE_IP } from '../../node/addresses.ts';
import { whyUnknown } from '../../node/instance-unknown-condition.ts';
import { isExcludedNode, kindOf, readinessOf } from '../../node/kind.ts';
import { CONTROLLED_LABELS } from '../../node/labels.ts';
import type { InstanceApi } from '../../node/instance-api.ts';
import { whyUnrouted } from '../../node/no-route-reason.ts';
import type { NodeSettings } from '../../node/settings.ts';
import { hasTaint, SHUTDOWN, UNINITIALIZED } from '../../node/taints.ts';
import type { Node } from '../../base/kubernetes-objects.ts';
import type { Controller } from '../../reconcile/manager.ts';
import type { QueueMetrics } from '../../reconcile/metrics.ts';
import { WorkQueue } from '../../reconcile/queue.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import type { Change, Watched } from '../../base/cache-interfaces.ts';
import { nodeGauge, nodeMetrics } from '../metrics.ts';
import { createInstances } from '../../node/instance-calls.ts';
import { NodeStateCache } from './node-state.ts';
import { reconcileNode } from './reconcile.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from '../kubernetes-interface.ts';
import { dedupeWarnings } from '../warning-deduplication.ts';

export interface NodeControllerParts {
  readonly nodes: Watched<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly instances: InstanceApi;
  readonly settings: NodeSettings;
  /** The object to which events about all Nodes are attached. */
  readonly target: EventTarget;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queueMetrics: QueueMetrics;
  readonly registry: Registry;
  /** Returns a random number from 0 up to 1, for the jitter of the period. */
  readonly random: () => number;
}

/** The time between two passes over all Nodes, in milliseconds, up to a tenth more or less. */
const PERIOD_MS = 300_000;
/** The number of concurrent reconciles, which is also the maximum number of instances that one cloud call reads. */
const WORKERS = 100;
/** The queue key that starts a pass over all Nodes. The key is empty, because no Node has an empty name. */
const PASS = '';
/** The back-off after a failure. The first delay is short, because an uninitialized Node runs no pods. */
const BACKOFF = { baseMs: 2_000, maxMs: 120_000 };

/** Returns the properties of a Node whose change requires a reconcile. Heartbeats and the taints of other components require none. */
const traits = (node: Node, settings: NodeSettings): unknown => [
  node.metadata.uid,
  kindOf(node),
  isExcludedNode(node),
  whyUnrouted(node, settings),
  CONTROLLED_LABELS.map((label) => node.metadata.labels?.[label]),
  node.metadata.annotations?.[PROVIDED_NODE_IP],
  hasTaint(node, UNINITIALIZED),
  hasTaint(node, SHUTDOWN),
  readinessOf(node).status,
  node.status?.addresses,
];

const needsReconcile = ({ before, after }: Change<Node>, settings: NodeSettings): boolean =>
  before === undefined || after === undefined || !isDeepStrictEqual(traits(before, settings), traits(after, settings));

/** Returns the number of Nodes by state, for the metric. */
function nodeCounts(nodes: Watched<Node>): readonly (readonly [state: string, nodes: number])[] {
  let [uninitialized, excluded, unknown] = [0, 0, 0];
  for (const node of nodes.values()) {
    if (hasTaint(node, UNINITIALIZED)) uninitialized += 1;
    if (isExcludedNode(node)) excluded += 1;
    if (whyUnknown(node) !== undefined) unknown += 1;
  }
  return [
    ['all', nodes.size],
    ['uninitialized', uninitialized],
    ['excluded', excluded],
    ['instance-unknown', unknown],
  ];
}

/** Returns the Node controller. Call only while the process leads and the cache is synced. */
export function nodeController(parts: NodeControllerParts): Controller {
  const { nodes, settings, clock, queueMetrics } = parts;
  const queue = new WorkQueue({ name: 'node', clock, metrics: queueMetrics, backoff: BACKOFF });
  const states = new NodeStateCache();
  const events = dedupeWarnings(parts.events, clock);
  const syncParts = { ...parts, events, states, instances: createInstances(parts.instances, settings, clock) };
  const pass = (): ReconcileResult => {
    states.begin(clock.monotonic());
    for (const { metadata } of nodes.values()) queue.add(metadata.name, 'background');
    return { requeueAfterMs: spreadMs(PERIOD_MS, parts.random) };
  };
  nodes.onChange((change) => {
    const name = (change.after ?? change.before)?.metadata.name;
    if (name === undefined || !needsReconcile(change, settings)) return;
    states.failedSearches.changed(name);
    queue.add(name);
  });
  queue.add(PASS);
  nodeGauge(parts.registry, () => nodeCounts(nodes));
  const recordDuration = nodeMetrics(parts.registry);
  const reconcileTimed = async (name: string, signal: AbortSignal): Promise<ReconcileResult> => {
    const since = clock.monotonic();
    const result = await reconcileNode(syncParts, name, signal);
    recordDuration(states.takeInitialized(name) ? 'remove_taint' : 'reconcile', clock.monotonic() - since);
    return result;
  };
  const reconcile = async (name: string, signal: AbortSignal): Promise<ReconcileResult> =>
    name === PASS ? pass() : reconcileTimed(name, signal);
  return { name: 'node', queue, reconcile, workers: WORKERS };
}
