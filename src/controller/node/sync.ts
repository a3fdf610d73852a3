import type { Clock } from '../../base/clock.ts';
import { hasReason, isDenied, messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { desiredNode } from '../../node/desired.ts';
import { diffNode } from '../../node/diff.ts';
import type { Instance } from '../../node/instance.ts';
import { isOtherInstance, kindOf } from '../../node/kind.ts';
import type { NodeSettings } from '../../node/settings.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import { NODES, objectKey, type Node } from '../../base/kubernetes-objects.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import type { Store } from '../../base/cache-interfaces.ts';
import { emitForAll, emitForNode } from './events.ts';
import type { Instances } from '../../node/instance-calls.ts';
import type { NodeStateCache } from './node-state.ts';
import { writeAction, type NodeWrite } from './write.ts';
import type { EventRecorder, EventTarget, KubernetesWriter } from '../kubernetes-interface.ts';

export interface NodeSyncParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly instances: Instances;
  readonly states: NodeStateCache;
  readonly settings: NodeSettings;
  /** The object to which events about all Nodes are attached. */
  readonly target: EventTarget;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The instance of a Node. `by` says how the instance was found; undefined if the Node names the instance. */
export interface MatchedInstance {
  readonly instance: Instance;
  readonly by?: string;
}

/** The maximum number of actions in a reconcile, including repetitions after conflicts with other writers. */
const ROUNDS = 6;

/** Writes the properties of the instance to the Node, and initializes a new Node. */
export async function syncNode(
  parts: NodeSyncParts,
  first: Node,
  found: MatchedInstance,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { instance } = found;
  const { name, uid } = first.metadata;
  // Other components may have changed the Node during the look-up of the instance.
  const latest = parts.nodes.get(objectKey(name));
  let node = latest?.metadata.uid === uid ? latest : first;
  /** The network interfaces that this reconcile has handled. */
  const tried = new Set<string>();
  const isCheckOff = (id: string): boolean => tried.has(id) || parts.states.isCheckOff(name, id);
  let blockedReason: string | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (isOtherInstance(node, instance))
      throw new PortcullisError('Conflict', `the Node ${name} now names another instance`);
    const { actions, blocked } = diffNode(node, desiredNode(node, instance, parts.settings), isCheckOff);
    blockedReason = blocked[0]?.reason;
    const [next] = actions;
    if (next === undefined) break;
    parts.log.debug({ node: name, action: next.kind }, 'applying node action');
    if (next.kind === 'disable-source-dest-check') {
      await disableCheck(parts, node, next.interfaceId, signal);
      tried.add(next.interfaceId);
    } else node = await writtenOrRead(parts, node, { next, found }, signal);
  }
  // No provider ID was written, so another Node can claim the instance.
  if (kindOf(node).kind === 'unidentified') parts.states.disclaim(name);
  return finish(parts, first, node, { instance, blockedReason });
}

/** Emits the events of a sync and returns its result. Throws if the Node is still uninitialized. */
function finish(
  { events }: NodeSyncParts,
  first: Node,
  node: Node,
  { instance, blockedReason }: { readonly instance: Instance; readonly blockedReason: string | undefined },
): ReconcileResult {
  const { name } = first.metadata;
  const isNew = hasTaint(node, UNINITIALIZED);
  // An error requeues an uninitialized Node with a short back-off.
  if (isNew && blockedReason !== undefined) throw new PortcullisError('NotFound', blockedReason);
  if (isNew) throw new PortcullisError('Conflict', `other clients keep changing the Node ${name}`);
  if (blockedReason !== undefined) emitForNode(events, name, 'SyncNodeFailed', blockedReason);
  if (hasTaint(first, UNINITIALIZED))
    emitForNode(events, name, 'InitializedNode', `Initialized the Node: instance ${instance.id}`);
  return 'done';
}

/** Writes an action and returns the changed Node. After a conflict, returns the Node as stored now, because a starting kubelet writes often. */
async function writtenOrRead(
  parts: NodeSyncParts,
  node: Node,
  { next, found }: { readonly next: NodeWrite; readonly found: MatchedInstance },
  signal: AbortSignal,
): Promise<Node> {
  try {
    const after = await writeAction(parts, node, next, signal);
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

/** Disables the source and destination check of an interface. */
async function disableCheck(parts: NodeSyncParts, node: Node, interfaceId: string, signal: AbortSignal): Promise<void> {
  // The interfaces of thousands of initialized Nodes must not delay the calls for new Nodes.
  const lane = hasTaint(node, UNINITIALIZED) ? 'change' : 'audit';
  try {
    await parts.instances.disableCheck(interfaceId, lane, signal);
    parts.states.recordCheckDisabled(node.metadata.name, interfaceId);
  } catch (error) {
    // Initialization continues: the Node's own addresses work, and another component may have disabled the check.
    if (!isDenied(error)) throw error;
    const hint = 'pods are unreachable from other Nodes while the source/destination check of their Node is enabled';
    emitForAll(parts, 'CloudPermissionDenied', `${messageOf(error)}; ${hint}`);
  }
}
