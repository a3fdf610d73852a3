import { quote } from '../annotation/advice.ts';
import { hasReason, messageOf, PortcullisError, type Reason } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../clock.ts';
import { desiredNode } from '../node/desired.ts';
import { diffNode } from '../node/diff.ts';
import type { Instance } from '../node/instance.ts';
import { isAnother, isExcludedNode, kindOf, type NodeKind } from '../node/kind.ts';
import type { ProviderId } from '../node/provider-id.ts';
import type { NodeSettings } from '../node/settings.ts';
import { waitsInVain } from '../node/release.ts';
import { hasTaint, taintsWith, UNINITIALIZED } from '../node/taints.ts';
import { NODES, objectKey, type Node } from '../objects.ts';
import type { Result } from '../reconcile/verdict.ts';
import type { Store } from '../store.ts';
import { tellOfAll, tellOfNode, tellOfTwins } from './node-events.ts';
import { identified, unidentified } from './node-identity.ts';
import type { Instances } from './node-instances.ts';
import type { NodeMemory } from './node-memory.ts';
import { withoutInstance } from './node-removal.ts';
import { written, type Written } from './node-write.ts';
import { INDEX, type EventRecorder, type EventTarget, type KubernetesWriter } from './port.ts';

export interface NodeTurnParts {
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

/** Looks after one Node: initialises it, keeps it as the cloud says, and deletes it when its instance is proven gone. */
export async function nodeTurn(parts: NodeTurnParts, name: string, signal: AbortSignal): Promise<Result> {
  const node = parts.nodes.get(objectKey(name));
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) {
    parts.memory.forget(name);
    return 'done';
  }
  parts.memory.saw(node, parts.clock.monotonic());
  // Since our own last write nothing has happened to it, and until the next pass nobody asks the cloud.
  if (parts.memory.isOwnWrite(node.metadata)) return 'done';
  try {
    return await lookAfter(parts, node, signal);
  } catch (error) {
    signal.throwIfAborted();
    parts.memory.unfinished(name);
    told(parts, node, error);
    throw error;
  }
}

/** What passes by itself in a moment, or is nothing of the Node's: the log has it. */
const UNTOLD: ReadonlySet<Reason> = new Set(['Conflict', 'LostLeadership', 'Throttled', 'Busy']);

/**
 * What the cloud has against a call is the same for all Nodes, whichever of them it was made for, and so is what is wrong with the
 * configuration: it is told once, and not of each.
 */
const OF_ALL: ReadonlySet<Reason> = new Set(['Unauthorized', 'Unavailable', 'InvalidConfiguration']);

function told(parts: NodeTurnParts, node: Node, error: unknown): void {
  const { name } = node.metadata;
  const isOurs = error instanceof PortcullisError;
  if (isOurs && UNTOLD.has(error.reason)) return;
  const cause = isOurs && error.cause instanceof PortcullisError ? error.cause : error;
  if (cause instanceof PortcullisError && isOfCloud(cause) && OF_ALL.has(cause.reason))
    tellOfAll(parts, cause.reason === 'Unauthorized' ? 'CloudPermissionDenied' : 'SyncNodeFailed', messageOf(error));
  else
    tellOfNode(
      parts.events,
      name,
      hasTaint(node, UNINITIALIZED) ? 'AddNodeFailed' : 'SyncNodeFailed',
      messageOf(error),
    );
}

/** The API server's refusals have the status of the answer for their code. */
const isOfCloud = ({ code }: PortcullisError): boolean => Number.isNaN(Number(code ?? 'none'));

async function lookAfter(parts: NodeTurnParts, first: Node, signal: AbortSignal): Promise<Result> {
  const node = waitsInVain(first, parts.settings)
    ? await written(parts, first, { kind: 'set-status', networkUnavailable: false }, signal)
    : first;
  const kind = kindOf(node);
  const isNew = hasTaint(node, UNINITIALIZED);
  if (kind.kind !== 'unidentified') parts.memory.disclaim(node.metadata.name);
  switch (kind.kind) {
    case 'unmanaged':
      return 'done';
    case 'virtual':
    case 'lingjun':
      // Nobody else would take it away, and there is no instance to ask about.
      if (isNew) await freed(parts, node, signal);
      return 'done';
    case 'foreign':
      return objected(
        parts,
        node,
        `the provider ID ${quote(kind.providerId)} names no instance of this cloud: register the Node again with <region>.<instance>, or without one; leave it to others with the label service.alibabacloud.com/exclude-node`,
      );
    case 'unidentified':
      return ofUnknown(parts, node, signal);
    case 'instance':
      return ofInstance(parts, node, kind, signal);
  }
}

async function ofInstance(
  parts: NodeTurnParts,
  node: Node,
  { providerId }: Extract<NodeKind, { readonly kind: 'instance' }>,
  signal: AbortSignal,
): Promise<Result> {
  const { settings, memory, instances } = parts;
  const isNew = hasTaint(node, UNINITIALIZED);
  if (isExcludedNode(node) && !isNew) return 'done';
  if (providerId.regionId !== settings.regionId) return ofOtherRegion(parts, node, providerId);
  const instance = await instances.find(providerId.instanceId, signal);
  if (instance === undefined) return withoutInstance(parts, node, signal);
  memory.present(node.metadata.name);
  tellOfTwins(parts, providerId);
  return keptUp(parts, node, { instance }, signal);
}

/** Nothing can be done for a Node until people have put it right. What is wrong keeps a new one closed, and leaves one in use as it is. */
function objected({ events }: NodeTurnParts, node: Node, message: string): Result {
  if (hasTaint(node, UNINITIALIZED)) throw new PortcullisError('InvalidObject', message);
  if (!isExcludedNode(node)) tellOfNode(events, node.metadata.name, 'SyncNodeFailed', message);
  return 'done';
}

/** Where several Nodes are in another region and none is in this one, it is the configuration that is wrong, and not each of them. */
function ofOtherRegion(parts: NodeTurnParts, node: Node, { regionId, instanceId }: ProviderId): Result {
  const { nodes, settings } = parts;
  const inRegion = (region: string): number => nodes.byIndex(INDEX.nodesByRegion, region).length;
  const advice = 'correct Global.region of the cloud-config, or run a controller there';
  if (inRegion(regionId) === 1 || inRegion(settings.regionId) > 0) {
    const subject = `the instance ${instanceId} is in region ${regionId}`;
    return objected(parts, node, `${subject}, and this controller looks after ${settings.regionId}: ${advice}`);
  }
  const message = `no Node is in region ${settings.regionId}, which this controller looks after, and some are in ${regionId}: ${advice}`;
  tellOfAll(parts, 'SyncNodeFailed', message);
  return 'done';
}

/** A Node that does not say which instance it is, and may be none: one that is in use without is told of, and left in peace. */
async function ofUnknown(parts: NodeTurnParts, node: Node, signal: AbortSignal): Promise<Result> {
  const isNew = hasTaint(node, UNINITIALIZED);
  if (isExcludedNode(node) && !isNew) return 'done';
  const resolution = await identified(parts, node, signal);
  if (resolution.kind === 'found') return keptUp(parts, node, resolution, signal);
  const error = unidentified(resolution, parts.settings);
  if (isNew) throw error;
  if (resolution.kind === 'ambiguous')
    tellOfNode(parts.events, node.metadata.name, 'NodeProviderIDAmbiguous', error.message);
  else told(parts, node, error);
  return 'done';
}

/** The instance of a Node; `by` where the Node does not say itself which it is. */
interface Found {
  readonly instance: Instance;
  readonly by?: string;
}

/** Rounds of deciding and writing in one turn: status, the rest, one to see that nothing is left, and some for who writes in between. */
const ROUNDS = 6;

/** Brings a Node to what its instance says, one write after the other, each decided on the Node as the last one left it. */
async function keptUp(parts: NodeTurnParts, first: Node, found: Found, signal: AbortSignal): Promise<Result> {
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
    const { actions, withheld } = diffNode(node, desiredNode(node, instance, parts.settings), isOpen);
    refused = withheld[0]?.reason;
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
  { events }: NodeTurnParts,
  first: Node,
  node: Node,
  { instance, refused }: { readonly instance: Instance; readonly refused: string | undefined },
): Result {
  const { name } = first.metadata;
  const isNew = hasTaint(node, UNINITIALIZED);
  // A Node that keeps pods out is looked at again soon.
  if (isNew && refused !== undefined) throw new PortcullisError('NotFound', refused);
  if (isNew) throw new PortcullisError('Conflict', `the Node ${name} was changed by others again and again`);
  if (refused !== undefined) tellOfNode(events, name, 'SyncNodeFailed', refused);
  if (hasTaint(first, UNINITIALIZED))
    tellOfNode(events, name, 'InitializedNode', `The Node is initialised: instance ${instance.id}`);
  return 'done';
}

/** A kubelet that registers writes often: what it has changed is read at once instead of waiting for the next turn. */
async function writtenOrRead(
  parts: NodeTurnParts,
  node: Node,
  { next, found }: { readonly next: Written; readonly found: Found },
  signal: AbortSignal,
): Promise<Node> {
  try {
    const after = await written(parts, node, next, signal);
    if (next.kind === 'set-node' && next.providerId !== undefined) tellOfProviderId(parts.events, node, found);
    return after;
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error;
    const now = await parts.writer.get(NODES, objectKey(node.metadata.name), signal);
    if (now.metadata.uid !== node.metadata.uid || now.metadata.deletionTimestamp !== undefined) throw error;
    return now;
  }
}

function tellOfProviderId(events: EventRecorder, { metadata }: Node, { instance, by }: Found): void {
  const how = by === undefined ? '' : ` was found by ${by}`;
  tellOfNode(events, metadata.name, 'NodeProviderIDSet', `The instance ${instance.id}${how}`);
}

/** Without the permission the Node is let in all the same: its own addresses work, and somebody else may have opened the interface. */
async function open(parts: NodeTurnParts, node: Node, interfaceId: string, signal: AbortSignal): Promise<void> {
  // The interfaces of thousands of Nodes in use must not keep new ones waiting.
  const lane = hasTaint(node, UNINITIALIZED) ? 'change' : 'audit';
  try {
    await parts.instances.open(interfaceId, lane, signal);
    parts.memory.opened(node.metadata.name, interfaceId);
  } catch (error) {
    if (!hasReason(error, 'Unauthorized')) throw error;
    const hint = 'pods of Nodes whose source/destination check is on are unreachable from other Nodes until it is off';
    tellOfAll(parts, 'CloudPermissionDenied', `${messageOf(error)}; ${hint}`);
  }
}

const freed = (parts: NodeTurnParts, node: Node, signal: AbortSignal): Promise<Node> =>
  written(parts, node, { kind: 'set-node', taints: taintsWith(node, { without: [UNINITIALIZED], add: [] }) }, signal);
