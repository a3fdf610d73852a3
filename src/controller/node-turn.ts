import { hasReason, messageOf, PortcullisError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../clock.ts';
import type { NodeAction } from '../node/action.ts';
import { desiredNode } from '../node/desired.ts';
import { diffNode } from '../node/diff.ts';
import type { Instance } from '../node/instance.ts';
import { kindOf, isExcludedNode, type NodeKind } from '../node/kind.ts';
import { networkCondition } from '../node/network-condition.ts';
import { removalOf } from '../node/removal.ts';
import { resolve } from '../node/resolve.ts';
import type { NodeSettings } from '../node/settings.ts';
import { hasTaint, taintsWith, UNINITIALIZED } from '../node/taints.ts';
import { NODES, objectKey, type Node } from '../objects.ts';
import type { Result } from '../reconcile/verdict.ts';
import type { Store } from '../store.ts';
import { tellOfDeletedNode, tellOfNode } from './node-events.ts';
import type { Instances } from './node-instances.ts';
import type { NodeMemory } from './node-memory.ts';
import type { EventRecorder, KubernetesWriter } from './port.ts';

export interface NodeTurnParts {
  readonly nodes: Store<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly instances: Instances;
  readonly memory: NodeMemory;
  readonly settings: NodeSettings;
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
  // Since our own last write nothing has happened to it, and until the next pass nobody asks the cloud.
  if (parts.memory.isOwnWrite(node.metadata)) return 'done';
  try {
    return await lookAfter(parts, node, signal);
  } catch (error) {
    signal.throwIfAborted();
    parts.memory.unfinished(name);
    // Somebody else wrote to the Node meanwhile; the next turn sees what.
    if (!hasReason(error, 'Conflict') && !hasReason(error, 'LostLeadership')) told(parts, node, error);
    throw error;
  }
}

function told({ events }: NodeTurnParts, node: Node, error: unknown): void {
  const { name } = node.metadata;
  if (hasReason(error, 'Unauthorized')) tellOfNode(events, name, 'CloudPermissionDenied', messageOf(error));
  else if (hasTaint(node, UNINITIALIZED)) tellOfNode(events, name, 'AddNodeFailed', messageOf(error));
  else tellOfNode(events, name, 'SyncNodeFailed', messageOf(error));
}

async function lookAfter(parts: NodeTurnParts, node: Node, signal: AbortSignal): Promise<Result> {
  const kind = kindOf(node);
  const isNew = hasTaint(node, UNINITIALIZED);
  switch (kind.kind) {
    case 'unmanaged':
      return 'done';
    case 'virtual':
    case 'lingjun':
      // Nobody else would take it away, and there is no instance to ask about.
      if (isNew) await freed(parts, node, signal);
      return 'done';
    case 'foreign':
      if (!isNew) return 'done';
      throw new PortcullisError(
        'InvalidObject',
        `the provider ID ${JSON.stringify(kind.providerId)} names no instance of this cloud: register the Node again with <region>.<instance>, or without one`,
      );
    case 'unidentified':
      return keptUp(parts, node, await identified(parts, node, signal), signal);
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
  if (providerId.regionId !== settings.regionId) {
    if (!isNew) return 'done';
    throw new PortcullisError(
      'InvalidObject',
      `the instance ${providerId.instanceId} is in region ${providerId.regionId}, and this controller looks after ${settings.regionId}: correct Global.region of the cloud-config, or run a controller there`,
    );
  }
  const instance = await instances.find(providerId.instanceId, signal);
  if (instance === undefined) return withoutInstance(parts, node, signal);
  memory.present(node.metadata.name);
  return keptUp(parts, node, instance, signal);
}

/** The instance of a Node that does not say which it is. */
async function identified(parts: NodeTurnParts, node: Node, signal: AbortSignal): Promise<Instance> {
  const { name } = node.metadata;
  const claimed = new Set<string>();
  for (const other of parts.nodes.values()) {
    const kind = kindOf(other);
    if (kind.kind === 'instance') claimed.add(kind.providerId.instanceId);
  }
  const resolution = resolve(node, await parts.instances.all(signal), claimed);
  if (resolution.kind === 'found') {
    tellOfNode(
      parts.events,
      name,
      'NodeProviderIDSet',
      `The instance ${resolution.instance.id} was found by ${resolution.by}`,
    );
    return resolution.instance;
  }
  if (resolution.kind === 'ambiguous') {
    const message = `several instances fit the Node, or another Node has the one that does (${resolution.candidates.join(', ')}, found by ${resolution.by}): give the Node its provider ID <region>.<instance>`;
    tellOfNode(parts.events, name, 'NodeProviderIDAmbiguous', message);
    throw new PortcullisError('NotFound', message);
  }
  throw new PortcullisError(
    'NotFound',
    `no instance of VPC ${parts.settings.vpcId} fits the Node by name, serial number, private address or host name: check the VPC, or give the Node its provider ID <region>.<instance>`,
  );
}

/** Rounds of reading and writing a Node in one turn: status, then the rest, and one to see that nothing is left. */
const ROUNDS = 3;

/** Brings a Node to what its instance says, one write after the other, each decided on the Node as the last one left it. */
async function keptUp(parts: NodeTurnParts, first: Node, instance: Instance, signal: AbortSignal): Promise<Result> {
  const { name } = first.metadata;
  let node = first;
  let isOpen = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { actions, withheld } = diffNode(node, desiredNode(node, instance, parts.settings));
    for (const { reason } of withheld) tellOfNode(parts.events, name, 'SyncNodeFailed', reason);
    const next = actions.find(({ kind }) => kind !== 'disable-source-dest-check' || !isOpen);
    if (next === undefined) break;
    parts.log.debug({ node: name, action: next.kind }, 'node changes');
    if (next.kind === 'disable-source-dest-check') {
      await opened(parts, name, next.interfaceId, signal);
      isOpen = true;
      round -= 1;
    } else node = await written(parts, node, next, signal);
  }
  if (hasTaint(first, UNINITIALIZED) && !hasTaint(node, UNINITIALIZED))
    tellOfNode(parts.events, name, 'InitializedNode', `The Node is initialised: instance ${instance.id}`);
  return 'done';
}

/** Without the permission the Node is let in all the same: its own addresses work, and somebody else may have opened the interface. */
async function opened(
  { instances, events }: NodeTurnParts,
  name: string,
  interfaceId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await instances.open(interfaceId, signal);
  } catch (error) {
    if (!hasReason(error, 'Unauthorized')) throw error;
    const hint = 'pods of this Node are unreachable from others until the check is off';
    tellOfNode(events, name, 'CloudPermissionDenied', `${messageOf(error)}; ${hint}`);
  }
}

const freed = (parts: NodeTurnParts, node: Node, signal: AbortSignal): Promise<Node> =>
  written(parts, node, { kind: 'set-node', taints: taintsWith(node, { without: [UNINITIALIZED], add: [] }) }, signal);

type Written = Exclude<NodeAction, { readonly kind: 'disable-source-dest-check' }>;

async function written(parts: NodeTurnParts, node: Node, action: Written, signal: AbortSignal): Promise<Node> {
  const { writer, clock, memory } = parts;
  const key = objectKey(node.metadata.name);
  const after =
    action.kind === 'set-status'
      ? await writer.mergePatch(
          NODES,
          key,
          { status: statusPatch(action, clock.now()) },
          { subresource: 'status', strategic: true },
          signal,
        )
      : await writer.mergePatch(NODES, key, nodePatch(node, action), {}, signal);
  memory.wrote(after.metadata);
  return after;
}

const statusPatch = (
  { addresses, networkUnavailable }: Extract<Written, { readonly kind: 'set-status' }>,
  nowMs: number,
): object => ({
  // A list that is merged by type would lose all but one address of a type.
  ...(addresses === undefined ? {} : { addresses: [{ $patch: 'replace' }, ...addresses] }),
  ...(networkUnavailable === undefined ? {} : { conditions: [initialCondition(networkUnavailable, nowMs)] }),
});

const initialCondition = (isUnavailable: boolean, nowMs: number): object =>
  networkCondition(
    !isUnavailable,
    isUnavailable ? 'Node created without a route' : 'Routes are not managed here',
    nowMs,
  );

const nodePatch = (
  { metadata: { resourceVersion } }: Node,
  { providerId, labels, taints }: Extract<Written, { readonly kind: 'set-node' }>,
): object => ({
  // Taints are one value to the API server: a write without the version would undo what somebody else has added meanwhile.
  metadata: { resourceVersion, ...(labels === undefined ? {} : { labels }) },
  spec: {
    ...(providerId === undefined ? {} : { providerID: providerId }),
    ...(taints === undefined ? {} : { taints }),
  },
});

/** Milliseconds between two answers that both count as a proof of absence. */
const PROOF_INTERVAL_MS = 30_000;
/** Milliseconds for which a Node must not have been ready before it is deleted. */
const GRACE_MS = 60_000;

async function withoutInstance(parts: NodeTurnParts, node: Node, signal: AbortSignal): Promise<Result> {
  const { memory, settings, clock, writer, events } = parts;
  const { name, uid, resourceVersion } = node.metadata;
  const absence = memory.absent(name, uid, clock.now());
  const rules = { regionId: settings.regionId, graceMs: GRACE_MS, intervalMs: PROOF_INTERVAL_MS };
  const removal = removalOf(node, absence, clock.now(), rules);
  if (removal.kind === 'keep') return 'done';
  if (removal.kind === 'watch') return { requeueAfterMs: PROOF_INTERVAL_MS };
  if (!memory.takeDeletion(parts.nodes.size)) {
    const message =
      'the instance is gone, but so are those of many other Nodes: no more are removed until the next pass';
    tellOfNode(events, name, 'NodeRemovalSuppressed', message);
    return { requeueAfterMs: PROOF_INTERVAL_MS };
  }
  try {
    await writer.delete(NODES, objectKey(name), { uid, resourceVersion }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (hasReason(error, 'NotFound')) return 'done';
    if (!hasReason(error, 'Conflict')) tellOfNode(events, name, 'DeleteNodeFailed', messageOf(error));
    throw error;
  }
  tellOfDeletedNode(events, node, `The instance of the Node is gone, and so is the Node`);
  return 'done';
}
