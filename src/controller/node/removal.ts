import type { Clock } from '../../base/clock.ts';
import { hasReason, messageOf, PortcullisError } from '../../base/errors.ts';
import { removalOf } from '../../node/removal.ts';
import type { NodeSettings } from '../../node/settings.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import { NODES, objectKey, type Node } from '../../base/kubernetes-objects.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import type { Store } from '../../base/cache-interfaces.ts';
import { emitForDeletedNode, emitForNode } from './events.ts';
import type { NodeStateCache } from './node-state.ts';
import type { EventRecorder, KubernetesWriter } from '../kubernetes-interface.ts';

export interface NodeRemovalParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly states: NodeStateCache;
  readonly settings: Pick<NodeSettings, 'regionId' | 'removalGraceMs'>;
  readonly clock: Clock;
}

/** Handles a Node whose instance a cloud call did not return. */
export async function withoutInstance(
  parts: NodeRemovalParts,
  node: Node,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { states, settings, clock, writer, events } = parts;
  const { name, uid, resourceVersion } = node.metadata;
  const nowMs = clock.monotonic();
  const evidence = states.recordAbsence(node, nowMs);
  const { regionId, removalGraceMs: graceMs } = settings;
  // A single response can be incomplete, so the absence is proven only by two responses, half the grace period apart.
  const intervalMs = graceMs / 2;
  const rules = { regionId, graceMs, intervalMs };
  const removal = removalOf(node, evidence, nowMs, rules);
  // The cloud lists a new instance only after a delay, so an uninitialized Node is kept and tried again.
  if (removal.kind !== 'delete' && hasTaint(node, UNINITIALIZED)) throw unknownInstance(node, regionId);
  if (removal.kind === 'keep') return 'done';
  if (removal.kind === 'watch') return { requeueAfterMs: intervalMs };
  if (!states.takeDeletion(uid, parts.nodes.size)) {
    const message =
      'the instance no longer exists, but many other Nodes lost their instance too, so this Node stays until the next pass; check the instances';
    emitForNode(events, name, 'NodeRemovalSuppressed', message);
    return { requeueAfterMs: intervalMs };
  }
  try {
    await writer.delete(NODES, objectKey(name), { uid, resourceVersion }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (hasReason(error, 'NotFound')) return 'done';
    if (hasReason(error, 'Conflict') || !(error instanceof PortcullisError)) throw error;
    emitForNode(events, name, 'DeleteNodeFailed', messageOf(error));
    return { requeueAfterMs: intervalMs };
  }
  emitForDeletedNode(events, node, 'Deleted the Node, because its instance no longer exists');
  return 'done';
}

const unknownInstance = ({ spec }: Node, regionId: string): PortcullisError =>
  new PortcullisError(
    'NotFound',
    `instance ${spec?.providerID ?? ''} does not exist in region ${regionId} yet; if this lasts, check the provider ID and the account of the credentials`,
  );
