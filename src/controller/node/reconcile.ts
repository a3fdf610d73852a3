import { PortcullisError } from '../../base/errors.ts';
import { isExcludedNode, kindOf, type NodeKind } from '../../node/kind.ts';
import { instanceCondition, whyUnknown } from '../../node/instance-unknown-condition.ts';
import { networkCondition } from '../../node/network-condition.ts';
import type { ProviderId } from '../../node/provider-id.ts';
import { whyUnrouted } from '../../node/no-route-reason.ts';
import { hasTaint, taintsWith, UNINITIALIZED } from '../../node/taints.ts';
import { objectKey, type Node } from '../../base/kubernetes-objects.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import { emitForAll, emitForNode, emitForDuplicates } from './events.ts';
import { emitFailure } from './failure-events.ts';
import { identified, unidentified } from './instance-of-node.ts';
import { withoutInstance } from './removal.ts';
import { syncNode, type NodeSyncParts } from './sync.ts';
import { writeAction, writeCondition } from './write.ts';
import { INDEX } from '../kubernetes-interface.ts';

/** Initializes a Node, updates the Node from its instance, or deletes the Node if its instance is proven gone. */
export async function reconcileNode(parts: NodeSyncParts, name: string, signal: AbortSignal): Promise<ReconcileResult> {
  const node = parts.nodes.get(objectKey(name));
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) {
    parts.states.forget(name);
    return 'done';
  }
  parts.states.recordReadiness(node, parts.clock.monotonic());
  // Only this process has changed the Node since the last reconcile, so a read of the cloud can wait until the next pass.
  if (parts.states.isOwnWrite(node.metadata)) return 'done';
  try {
    const result = await reconcileByKind(parts, node, signal);
    parts.states.recordSuccess(name);
    return result;
  } catch (error) {
    signal.throwIfAborted();
    parts.states.recordUnfinished(name);
    emitFailure(parts, node, error, parts.states.recordFailure(name, parts.clock.monotonic()));
    throw error;
  }
}

async function reconcileByKind(parts: NodeSyncParts, first: Node, signal: AbortSignal): Promise<ReconcileResult> {
  const reason = whyUnrouted(first, parts.settings);
  const seen =
    reason === undefined
      ? first
      : await writeCondition(parts, first, networkCondition('unmanaged', reason, parts.clock.now()), signal);
  const condition = instanceCondition(seen, parts.clock.now());
  const node = condition === undefined ? seen : await writeCondition(parts, seen, condition, signal);
  const kind = kindOf(node);
  const isNew = hasTaint(node, UNINITIALIZED);
  if (kind.kind !== 'unidentified') {
    parts.states.disclaim(node.metadata.name);
    parts.states.failedSearches.forget(node.metadata.name);
  }
  switch (kind.kind) {
    case 'unmanaged':
      return 'done';
    case 'virtual':
    case 'lingjun':
      // No other controller removes the taint `uninitialized`, and the cloud API has no instance to query.
      if (isNew) await withTaintRemoved(parts, node, signal);
      return 'done';
    case 'foreign':
      return reportProblem(parts, node, whyUnknown(node) ?? '');
    case 'unidentified':
      return ofUnknown(parts, node, signal);
    case 'instance':
      return ofInstance(parts, node, kind, signal);
  }
}

async function ofInstance(
  parts: NodeSyncParts,
  node: Node,
  { providerId }: Extract<NodeKind, { readonly kind: 'instance' }>,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { settings, states, instances } = parts;
  const isNew = hasTaint(node, UNINITIALIZED);
  if (isExcludedNode(node) && !isNew) return 'done';
  if (providerId.regionId !== settings.regionId) return ofOtherRegion(parts, node, providerId);
  const instance = await instances.find(providerId.instanceId, signal);
  if (instance === undefined) return withoutInstance(parts, node, signal);
  states.recordExistence(node.metadata.name);
  emitForDuplicates(parts, providerId);
  return syncNode(parts, node, { instance }, signal);
}

/** Reports a problem that only users can solve. */
function reportProblem({ events }: NodeSyncParts, node: Node, message: string): ReconcileResult {
  // Another controller may manage an excluded Node.
  if (isExcludedNode(node)) return 'done';
  if (hasTaint(node, UNINITIALIZED)) throw new PortcullisError('Invalid', message);
  emitForNode(events, node.metadata.name, 'SyncNodeFailed', message);
  return 'done';
}

/** Returns whether any Node names an instance of this region; if none does, the cluster may have no instances. */
const hasInstances = ({ nodes, settings }: NodeSyncParts): boolean =>
  nodes.byIndex(INDEX.nodesByRegion, settings.regionId).length > 0;

/** Reports a Node of another region. */
function ofOtherRegion(parts: NodeSyncParts, node: Node, { regionId, instanceId }: ProviderId): ReconcileResult {
  const isOnly = parts.nodes.byIndex(INDEX.nodesByRegion, regionId).length === 1;
  const advice = 'correct Global.region in the cloud-config file, or run another controller in that region';
  if (isOnly || hasInstances(parts)) {
    const subject = `the instance ${instanceId} is in region ${regionId}`;
    return reportProblem(
      parts,
      node,
      `${subject}, but this controller manages region ${parts.settings.regionId}; ${advice}`,
    );
  }
  if (isExcludedNode(node)) return 'done';
  // No Node is in the configured region, so one event reports the wrong configuration.
  const message = `no Node is in region ${parts.settings.regionId}, which this controller manages, but Nodes are in region ${regionId}; ${advice}`;
  emitForAll(parts, 'SyncNodeFailed', message);
  return 'done';
}

/** The delay before a Node with several matching instances is tried again, in milliseconds. */
const AMBIGUOUS_MS = 60_000;

/** Reconciles a Node without a provider ID. Without a matching instance, retries an uninitialized Node soon, but only reports an initialized Node. */
async function ofUnknown(parts: NodeSyncParts, node: Node, signal: AbortSignal): Promise<ReconcileResult> {
  const { name } = node.metadata;
  const { failedSearches } = parts.states;
  const isNew = hasTaint(node, UNINITIALIZED);
  const isSkipped = isExcludedNode(node) && !isNew;
  const mayHaveNone = (): boolean => !isNew && !hasInstances(parts);
  if (isSkipped || !mayHaveNone()) failedSearches.forget(name);
  if (isSkipped || failedSearches.rests(name)) return 'done';
  const resolution = await identified(parts, node, signal);
  if (resolution.kind === 'found') return syncNode(parts, node, resolution, signal);
  const error = unidentified(resolution, parts.settings);
  if (resolution.kind === 'ambiguous') {
    emitForNode(parts.events, name, 'NodeProviderIDAmbiguous', error.message);
    return isNew ? { requeueAfterMs: AMBIGUOUS_MS } : 'done';
  }
  if (isNew) throw error;
  if (!mayHaveNone() || failedSearches.add(name)) emitFailure(parts, node, error);
  return 'done';
}

const withTaintRemoved = (parts: NodeSyncParts, node: Node, signal: AbortSignal): Promise<Node> =>
  writeAction(
    parts,
    node,
    { kind: 'set-node', taints: taintsWith(node, { without: [UNINITIALIZED], add: [] }) },
    signal,
  );
