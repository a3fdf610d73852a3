import type { Clock } from '../../base/clock.ts';
import type { NodeAction } from '../../node/action.ts';
import { networkCondition } from '../../node/network-condition.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import { NODES, objectKey, type Node } from '../../base/kubernetes-objects.ts';
import type { NodeStateCache } from './node-state.ts';
import type { KubernetesWriter } from '../kubernetes-interface.ts';

export interface NodeWriteParts {
  readonly writer: KubernetesWriter;
  readonly states: NodeStateCache;
  readonly clock: Clock;
}

/** The actions that change the Node object, and not the cloud. */
export type NodeWrite = Exclude<NodeAction, { readonly kind: 'disable-source-dest-check' }>;

/** Writes an action to the Node object. Rejects with `Conflict` if the write would undo a concurrent change. */
export async function writeAction(
  parts: NodeWriteParts,
  node: Node,
  action: NodeWrite,
  signal: AbortSignal,
): Promise<Node> {
  const { writer, clock, states } = parts;
  const key = objectKey(node.metadata.name);
  const after =
    action.kind === 'set-status'
      ? await writer.mergePatch(
          NODES,
          key,
          // A kubelet can change the resource version meanwhile, but the UID must be equal.
          { metadata: { uid: node.metadata.uid }, status: statusPatch(action, clock.now()) },
          { subresource: 'status', strategic: true },
          signal,
        )
      : await writer.mergePatch(NODES, key, nodePatch(node, action), {}, signal);
  states.recordWrite(after.metadata);
  if (hasTaint(node, UNINITIALIZED) && !hasTaint(after, UNINITIALIZED)) states.recordInitialized(node.metadata.name);
  return after;
}

export async function writeCondition(
  { writer, states }: NodeWriteParts,
  { metadata: { name, uid } }: Node,
  condition: object,
  signal: AbortSignal,
): Promise<Node> {
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  const after = await writer.mergePatch(
    NODES,
    objectKey(name),
    patch,
    { subresource: 'status', strategic: true },
    signal,
  );
  states.recordWrite(after.metadata);
  return after;
}

const statusPatch = (
  { addresses, networkUnavailable }: Extract<NodeWrite, { readonly kind: 'set-status' }>,
  nowMs: number,
): object => ({
  // A strategic merge would keep only one address of each type, so the patch replaces the list.
  ...(addresses === undefined ? {} : { addresses: [{ $patch: 'replace' }, ...addresses] }),
  ...(networkUnavailable === undefined
    ? {}
    : { conditions: [networkCondition('unrouted', 'The new Node has no route yet', nowMs)] }),
});

const nodePatch = (
  { metadata: { resourceVersion } }: Node,
  { providerId, labels, taints }: Extract<NodeWrite, { readonly kind: 'set-node' }>,
): object => ({
  // A merge patch replaces the whole list of taints, so the resource version must prevent the loss of concurrent changes.
  metadata: { resourceVersion, ...(labels === undefined ? {} : { labels }) },
  spec: {
    ...(providerId === undefined ? {} : { providerID: providerId }),
    ...(taints === undefined ? {} : { taints }),
  },
});
