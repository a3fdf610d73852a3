import type { Node } from '../base/kubernetes-objects.ts';
import type { Instance } from './instance.ts';
import { HYBRID_PREFIX, parseProviderId, type ProviderId } from './provider-id.ts';

/** The labels that exclude a Node from management, with any value. The second label is deprecated. */
export const EXCLUDE_NODE_LABELS = [
  'service.alibabacloud.com/exclude-node',
  'service.beta.kubernetes.io/exclude-node',
] as const;
const LINGJUN_LABEL = 'alibabacloud.com/lingjun-worker';
/** The label of LingJun machines that a Tianwen environment manages, instead of this controller. */
const TIANWEN_LABEL = 'alibabacloud.com/lingjun-tianwen-environment';

/** The kind of machine behind a Node, which decides how the controller manages the Node. */
export type NodeKind =
  /** An ECS instance. */
  | { readonly kind: 'instance'; readonly providerId: ProviderId }
  /** A Node without a provider ID. The controller searches for its instance. */
  | { readonly kind: 'unidentified' }
  /** A virtual kubelet, which runs pods as container instances without a machine. */
  | { readonly kind: 'virtual' }
  /** A machine of the product LingJun, which ECS does not list. The controller only removes the taint `uninitialized`. */
  | { readonly kind: 'lingjun' }
  /** A Node that other controllers manage. */
  | { readonly kind: 'unmanaged' }
  /** A Node whose provider ID has an unknown form. */
  | { readonly kind: 'foreign'; readonly providerId: string };

export const hasLabel = ({ metadata }: Node, labels: readonly string[]): boolean =>
  labels.some((label) => metadata.labels?.[label] !== undefined);

export const isVirtualNode = ({ metadata }: Node): boolean => metadata.labels?.['type'] === 'virtual-kubelet';

/** Returns whether a Node is excluded. After initialization, an excluded Node gets no updates, no deletion, no routes and no backends. */
export const isExcludedNode = (node: Node): boolean =>
  hasLabel(node, EXCLUDE_NODE_LABELS) || (node.spec?.providerID?.startsWith(HYBRID_PREFIX) ?? false);

/** Returns the kind of machine of a Node, from its provider ID and labels. */
export function kindOf(node: Node): NodeKind {
  const text = node.spec?.providerID ?? '';
  if (isVirtualNode(node)) return { kind: 'virtual' };
  if (text.startsWith(HYBRID_PREFIX)) return { kind: 'unmanaged' };
  const providerId = parseProviderId(text);
  if (providerId !== undefined) return { kind: 'instance', providerId };
  if (node.metadata.labels?.[LINGJUN_LABEL] === 'true')
    return { kind: hasLabel(node, [TIANWEN_LABEL]) ? 'unmanaged' : 'lingjun' };
  return text === '' ? { kind: 'unidentified' } : { kind: 'foreign', providerId: text };
}

/** Returns whether a Node is certainly not the instance. Returns false for an unidentified Node. */
export function isOtherInstance(node: Node, { id, regionId }: Pick<Instance, 'id' | 'regionId'>): boolean {
  const kind = kindOf(node);
  if (kind.kind === 'unidentified') return false;
  return kind.kind !== 'instance' || kind.providerId.instanceId !== id || kind.providerId.regionId !== regionId;
}

/** Returns the status of the kubelet's Ready condition, `Unknown` without the condition. `since` is its last transition time. */
export function readinessOf({ status }: Node): { readonly status: string; readonly since: string } {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return { status: ready?.status ?? 'Unknown', since: ready?.lastTransitionTime ?? '' };
}

/** Returns the condition with the type. Among several conditions, returns the condition with the latest heartbeat. */
export const conditionOf = ({ status }: Node, type: string) =>
  (status?.conditions ?? [])
    .filter((condition) => condition.type === type)
    .toSorted((left, right) => (right.lastHeartbeatTime ?? '').localeCompare(left.lastHeartbeatTime ?? ''))[0];
