import { PortcullisError } from '../../base/errors.ts';
import type { Instance } from '../../node/instance.ts';
import { isExcludedNode, kindOf } from '../../node/kind.ts';
import { resolve, type Resolution } from '../../node/instance-match.ts';
import type { NodeSettings } from '../../node/settings.ts';
import type { Node } from '../../base/kubernetes-objects.ts';
import type { Store } from '../../base/cache-interfaces.ts';
import type { Instances } from '../../node/instance-calls.ts';
import type { NodeStateCache } from './node-state.ts';

export interface NodeIdentityParts {
  readonly nodes: Store<Node>;
  readonly instances: Instances;
  readonly states: NodeStateCache;
  readonly settings: Pick<NodeSettings, 'regionId'>;
}

/** The instance of a Node, or the reason why no instance was found. */
export type NodeIdentity =
  | Resolution
  /** No Node has an instance in the configured VPC, so the VPC ID may be wrong. `isEmpty`: the VPC has no instance at all. */
  | { readonly kind: 'elsewhere'; readonly isEmpty: boolean };

/** Finds the instance of a Node without a provider ID. Never assigns one instance to two Nodes. */
export async function identified(parts: NodeIdentityParts, node: Node, signal: AbortSignal): Promise<NodeIdentity> {
  const claimed = new Set<string>();
  for (const other of parts.nodes.values()) {
    const kind = kindOf(other);
    if (kind.kind === 'instance') claimed.add(kind.providerId.instanceId);
  }
  let instances = await parts.instances.all(signal);
  let resolution = resolve(node, instances, claimed);
  if (resolution.kind === 'none') {
    // Creation times of Nodes are truncated to seconds, so a second is added.
    const sinceMs = Date.parse(node.metadata.creationTimestamp ?? '') + 1_000;
    // A list from before the creation of the Node may lack the instance.
    instances = await parts.instances.all(signal, sinceMs);
    resolution = resolve(node, instances, claimed);
  }
  if (resolution.kind === 'none' && areElsewhere(parts, instances))
    return { kind: 'elsewhere', isEmpty: instances.length === 0 };
  if (resolution.kind !== 'found') return resolution;
  const { instance, by } = resolution;
  const isOurs = parts.states.claim(instance.id, node.metadata.name) === node.metadata.name;
  return isOurs ? resolution : { kind: 'ambiguous', candidates: [instance.id], by };
}

/** Returns whether the configured VPC is probably wrong: the VPC has no instance, or none of several Nodes has an instance of the VPC. */
function areElsewhere({ nodes, states, settings }: NodeIdentityParts, instances: readonly Instance[]): boolean {
  const inVpc = new Set(instances.map(({ id }) => id));
  if (inVpc.size === 0) return true;
  if (states.hasClaimed(inVpc)) return false;
  let lacking = 0;
  for (const node of nodes.values()) {
    const kind = kindOf(node);
    if (kind.kind === 'unidentified' && !isExcludedNode(node)) lacking += 1;
    if (kind.kind !== 'instance' || kind.providerId.regionId !== settings.regionId) continue;
    if (inVpc.has(kind.providerId.instanceId)) return false;
    lacking += 1;
  }
  // If only a single Node lacks an instance, the Node may be misconfigured, and not the VPC.
  return lacking > 1;
}

/**
 * Returns the error for a Node without a found instance, with a remedy. The error's cause is `InvalidConfiguration` if the problem concerns all
 * Nodes.
 */
export function unidentified(
  identity: Exclude<NodeIdentity, { readonly kind: 'found' }>,
  { vpcId }: Pick<NodeSettings, 'vpcId'>,
): PortcullisError {
  const notFound = (message: string): PortcullisError => new PortcullisError('NotFound', message);
  switch (identity.kind) {
    case 'ambiguous':
      return notFound(
        `several instances match the Node, or another Node already has the matching instance (${identity.candidates.join(', ')}, found by ${identity.by}); set the provider ID of the Node to <region>.<instance>`,
      );
    case 'none':
      return notFound(
        `no instance of VPC ${vpcId} matches the Node by name, serial number, private address or host name; check the VPC, or set the provider ID of the Node to <region>.<instance>`,
      );
    case 'elsewhere': {
      const message = identity.isEmpty
        ? `VPC ${vpcId} has no instance; correct Global.vpcid in the cloud-config file, or check the permission ecs:DescribeInstances`
        : `no Node is an instance of VPC ${vpcId}; correct Global.vpcid in the cloud-config file, or set the provider IDs of the Nodes to <region>.<instance>`;
      // The reason stays `NotFound`, so that the Nodes are retried: instances can appear without a change of the configuration.
      return new PortcullisError('NotFound', message, { cause: new PortcullisError('InvalidConfiguration', message) });
    }
  }
}
