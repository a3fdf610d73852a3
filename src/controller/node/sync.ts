import type { Clock } from '../../base/clock.ts';
import { hasReason, isDenied, messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { desiredNode } from '../../node/desired.ts';
import { diffNode } from '../../node/diff.ts';
import type { Instance } from '../../node/instance.ts';
import { isOtherInstance, kindOf } from '../../node/kind.ts';
import type { NodeSettings } from '../../node/settings.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import { NODES, objectKey, type Node } from '../../base/objects.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import type { Store } from '../../base/store.ts';
import { emitForAll, emitForNode } from './events.ts';
import type { Instances } from '../../node/observe.ts';
import type { NodeMemory } from './memory.ts';
import { written, type Written } from './write.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from '../port.ts';

export interface NodeSyncParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly instances: Instances;
  readonly memory: NodeMemory;
  readonly settings: NodeSettings;
  /** The object of events about all Nodes. */
  readonly target: EventTarget;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The instance of a Node. `by` is undefined if the Node names the instance itself. */
export interface MatchedInstance {
  readonly instance: Instance;
  readonly by?: string;
}

/** The most rounds of planning and writing in a reconcile: status, Node, a check that nothing is left, and some for concurrent writes. */
const ROUNDS = 6;

/** Writes the properties of the instance to the Node. Each write is planned from the result of the previous write. */
export async function syncNode(
  parts: NodeSyncParts,
  first: Node,
  found: MatchedInstance,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { instance } = found;
  const { name, uid } = first.metadata;
  // Other components may have written during the lookup, for example a reason for a missing route.
  const latest = parts.nodes.get(objectKey(name));
  let node = latest?.metadata.uid === uid ? latest : first;
  /** The interfaces that this reconcile has handled. */
  const tried = new Set<string>();
  const isOpen = (id: string): boolean => tried.has(id) || parts.memory.isOpen(name, id);
  let blockedReason: string | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (isOtherInstance(node, instance))
      throw new PortcullisError('Conflict', `the Node ${name} now names another instance`);
    const { actions, blocked } = diffNode(node, desiredNode(node, instance, parts.settings), isOpen);
    blockedReason = blocked[0]?.reason;
    const [next] = actions;
    if (next === undefined) break;
    parts.log.debug({ node: name, action: next.kind }, 'applying node action');
    if (next.kind === 'disable-source-dest-check') {
      await open(parts, node, next.interfaceId, signal);
      tried.add(next.interfaceId);
    } else node = await writtenOrRead(parts, node, { next, found }, signal);
  }
  // Nothing was written to the Node, so another Node may have the instance.
  if (kindOf(node).kind === 'unidentified') parts.memory.disclaim(name);
  return ended(parts, first, node, { instance, blockedReason });
}

function ended(
  { events }: NodeSyncParts,
  first: Node,
  node: Node,
  { instance, blockedReason }: { readonly instance: Instance; readonly blockedReason: string | undefined },
): ReconcileResult {
  const { name } = first.metadata;
  const isNew = hasTaint(node, UNINITIALIZED);
  // The error requeues an uninitialised Node with a short back-off.
  if (isNew && blockedReason !== undefined) throw new PortcullisError('NotFound', blockedReason);
  if (isNew) throw new PortcullisError('Conflict', `other clients keep changing the Node ${name}`);
  if (blockedReason !== undefined) emitForNode(events, name, 'SyncNodeFailed', blockedReason);
  if (hasTaint(first, UNINITIALIZED))
    emitForNode(events, name, 'InitializedNode', `Initialized the Node: instance ${instance.id}`);
  return 'done';
}

/** Writes an action. Reads the Node at once after a conflict, because a registering kubelet writes often. */
async function writtenOrRead(
  parts: NodeSyncParts,
  node: Node,
  { next, found }: { readonly next: Written; readonly found: MatchedInstance },
  signal: AbortSignal,
): Promise<Node> {
  try {
    const after = await written(parts, node, next, signal);
    if (next.kind === 'set-node' && next.providerId !== undefined) emitProviderId(parts.events, node, found);
    return after;
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error;
    const now = await parts.writer.get(NODES, objectKey(node.metadata.name), signal);
    if (now.metadata.uid !== node.metadata.uid || now.metadata.deletionTimestamp !== undefined) throw error;
    return now;
  }
}

function emitProviderId(events: EventRecorder, { metadata }: Node, { instance, by }: MatchedInstance): void {
  const how = by === undefined ? '' : `, found by ${by}`;
  emitForNode(events, metadata.name, 'NodeProviderIDSet', `Set the provider ID: instance ${instance.id}${how}`);
}

/**
 * Opens the interface. A denied call does not delay initialisation: the Node's own addresses work, and another component may have opened the
 * interface.
 */
async function open(parts: NodeSyncParts, node: Node, interfaceId: string, signal: AbortSignal): Promise<void> {
  // The interfaces of thousands of initialised Nodes must not delay new Nodes.
  const lane = hasTaint(node, UNINITIALIZED) ? 'change' : 'audit';
  try {
    await parts.instances.open(interfaceId, lane, signal);
    parts.memory.opened(node.metadata.name, interfaceId);
  } catch (error) {
    if (!isDenied(error)) throw error;
    const hint = 'pods are unreachable from other Nodes while the source/destination check of their Node is enabled';
    emitForAll(parts, 'CloudPermissionDenied', `${messageOf(error)}; ${hint}`);
  }
}
