import { kindOf } from '../node/kind.ts';
import { resolve, type Resolution } from '../node/resolve.ts';
import type { NodeSettings } from '../node/settings.ts';
import type { Node } from '../objects.ts';
import type { Store } from '../store.ts';
import type { Instances } from './node-instances.ts';
import type { NodeMemory } from './node-memory.ts';

export interface NodeIdentityParts {
  readonly nodes: Store<Node>;
  readonly instances: Instances;
  readonly memory: NodeMemory;
}

/**
 * Finds the instance of a Node that does not say which it is, among those of the VPC. Two Nodes that look alike do not both get it.
 */
export async function identified(parts: NodeIdentityParts, node: Node, signal: AbortSignal): Promise<Resolution> {
  const claimed = new Set<string>();
  for (const other of parts.nodes.values()) {
    const kind = kindOf(other);
    if (kind.kind === 'instance') claimed.add(kind.providerId.instanceId);
  }
  const known = resolve(node, await parts.instances.all(signal), claimed);
  // An instance is there before its Node is, and a list from before may lack both. Times of creation are cut to the second.
  const sinceMs = Date.parse(node.metadata.creationTimestamp ?? '') + 1_000;
  const resolution = known.kind === 'none' ? resolve(node, await parts.instances.all(signal, sinceMs), claimed) : known;
  if (resolution.kind !== 'found') return resolution;
  const { instance, by } = resolution;
  const isOurs = parts.memory.claim(instance.id, node.metadata.name) === node.metadata.name;
  return isOurs ? resolution : { kind: 'ambiguous', candidates: [instance.id], by };
}

/** Why no instance is taken for a Node, and what to do. */
export const unidentified = (
  resolution: Exclude<Resolution, { readonly kind: 'found' }>,
  { vpcId }: Pick<NodeSettings, 'vpcId'>,
): string =>
  resolution.kind === 'ambiguous'
    ? `several instances fit the Node, or another Node has the one that does (${resolution.candidates.join(', ')}, found by ${resolution.by}): give the Node its provider ID <region>.<instance>`
    : `no instance of VPC ${vpcId} fits the Node by name, serial number, private address or host name: check the VPC, or give the Node its provider ID <region>.<instance>`;
