import type { Clock } from '../../base/clock.ts';
import type { NodeAction } from '../../node/action.ts';
import { networkCondition } from '../../node/network-condition.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import { NODES, objectKey, type Node } from '../../base/objects.ts';
import type { NodeMemory } from './memory.ts';
import type { KubernetesWriter } from '../port.ts';

export interface NodeWriteParts {
  readonly writer: KubernetesWriter;
  readonly memory: NodeMemory;
  readonly clock: Clock;
}

/** The steps that are writes to the API server. */
export type Written = Exclude<NodeAction, { readonly kind: 'disable-source-dest-check' }>;

/** Writes one step. Rejects `Conflict` when somebody else has written what it would undo. */
export async function written(parts: NodeWriteParts, node: Node, action: Written, signal: AbortSignal): Promise<Node> {
  const { writer, clock, memory } = parts;
  const key = objectKey(node.metadata.name);
  const after =
    action.kind === 'set-status'
      ? await writer.mergePatch(
          NODES,
          key,
          // The version is the kubelet's to change meanwhile; the Node itself has to be the same.
          { metadata: { uid: node.metadata.uid }, status: statusPatch(action, clock.now()) },
          { subresource: 'status', strategic: true },
          signal,
        )
      : await writer.mergePatch(NODES, key, nodePatch(node, action), {}, signal);
  memory.wrote(after.metadata);
  if (hasTaint(node, UNINITIALIZED) && !hasTaint(after, UNINITIALIZED)) memory.letIn(node.metadata.name);
  return after;
}

/** Writes one condition of a Node. */
export async function writtenCondition(
  { writer, memory }: NodeWriteParts,
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
  isUnavailable
    ? networkCondition('unrouted', 'Node created without a route', nowMs)
    : networkCondition('unmanaged', 'Routes are not managed here', nowMs);

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
