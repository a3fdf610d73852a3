import type { Clock } from '../../base/clock.ts';
import { hasReason, isDenied, messageOf, PortcullisError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { desiredNode } from '../../node/desired.ts';
import { diffNode } from '../../node/diff.ts';
import type { Instance } from '../../node/instance.ts';
import { isAnother, kindOf } from '../../node/kind.ts';
import type { NodeSettings } from '../../node/settings.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import { NODES, objectKey, type Node } from '../../base/objects.ts';
import type { Result } from '../../reconcile/requeue-decision.ts';
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
  /** What is told of all Nodes is told of this. */
  readonly target: EventTarget;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The instance of a Node; `by` where the Node does not say itself which it is. */
export interface MatchedInstance {
  readonly instance: Instance;
  readonly by?: string;
}

/** Rounds of deciding and writing in one turn: status, the rest, one to see that nothing is left, and some for who writes in between. */
const ROUNDS = 6;

/** Brings a Node to what its instance says, one write after the other, each decided on the Node as the last one left it. */
export async function syncNode(
  parts: NodeSyncParts,
  first: Node,
  found: MatchedInstance,
  signal: AbortSignal,
): Promise<Result> {
  const { instance } = found;
  const { name, uid } = first.metadata;
  // While the instance was asked for others have written, such as why there is no route yet.
  const latest = parts.nodes.get(objectKey(name));
  let node = latest?.metadata.uid === uid ? latest : first;
  /** Interfaces that this turn has done with. */
  const tried = new Set<string>();
  const isOpen = (id: string): boolean => tried.has(id) || parts.memory.isOpen(name, id);
  let refused: string | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (isAnother(node, instance)) throw new PortcullisError('Conflict', `the Node ${name} was given another instance`);
    const { actions, blocked } = diffNode(node, desiredNode(node, instance, parts.settings), isOpen);
    refused = blocked[0]?.reason;
    const [next] = actions;
    if (next === undefined) break;
    parts.log.debug({ node: name, action: next.kind }, 'node changes');
    if (next.kind === 'disable-source-dest-check') {
      await open(parts, node, next.interfaceId, signal);
      tried.add(next.interfaceId);
    } else node = await writtenOrRead(parts, node, { next, found }, signal);
  }
  // Nothing of the instance was written to it: another Node may be the one that has it.
  if (kindOf(node).kind === 'unidentified') parts.memory.disclaim(name);
  return ended(parts, first, node, { instance, refused });
}

function ended(
  { events }: NodeSyncParts,
  first: Node,
  node: Node,
  { instance, refused }: { readonly instance: Instance; readonly refused: string | undefined },
): Result {
  const { name } = first.metadata;
  const isNew = hasTaint(node, UNINITIALIZED);
  // A Node that keeps pods out is looked at again soon.
  if (isNew && refused !== undefined) throw new PortcullisError('NotFound', refused);
  if (isNew) throw new PortcullisError('Conflict', `the Node ${name} was changed by others again and again`);
  if (refused !== undefined) emitForNode(events, name, 'SyncNodeFailed', refused);
  if (hasTaint(first, UNINITIALIZED))
    emitForNode(events, name, 'InitializedNode', `The Node is initialised: instance ${instance.id}`);
  return 'done';
}

/** A kubelet that registers writes often: what it has changed is read at once instead of waiting for the next turn. */
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
  const how = by === undefined ? '' : ` was found by ${by}`;
  emitForNode(events, metadata.name, 'NodeProviderIDSet', `The instance ${instance.id}${how}`);
}

/** Without the permission the Node is let in all the same: its own addresses work, and somebody else may have opened the interface. */
async function open(parts: NodeSyncParts, node: Node, interfaceId: string, signal: AbortSignal): Promise<void> {
  // The interfaces of thousands of Nodes in use must not keep new ones waiting.
  const lane = hasTaint(node, UNINITIALIZED) ? 'change' : 'audit';
  try {
    await parts.instances.open(interfaceId, lane, signal);
    parts.memory.opened(node.metadata.name, interfaceId);
  } catch (error) {
    if (!isDenied(error)) throw error;
    const hint = 'pods of Nodes whose source/destination check is on are unreachable from other Nodes until it is off';
    emitForAll(parts, 'CloudPermissionDenied', `${messageOf(error)}; ${hint}`);
  }
}
