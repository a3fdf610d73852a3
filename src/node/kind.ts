import type { Node } from '../base/objects.ts';
import type { Instance } from './instance.ts';
import { HYBRID_PREFIX, parseProviderId, type ProviderId } from './provider-id.ts';

/** The labels of Nodes that the controller does not manage, with any value. The second is the deprecated spelling. */
export const EXCLUDE_NODE_LABELS = [
  'service.alibabacloud.com/exclude-node',
  'service.beta.kubernetes.io/exclude-node',
] as const;
const LINGJUN_LABEL = 'alibabacloud.com/lingjun-worker';
/** The label of LingJun machines whose environment manages them. */
const TIANWEN_LABEL = 'alibabacloud.com/lingjun-tianwen-environment';

/** The kind of machine of a Node, which determines how the controller manages the Node. */
export type NodeKind =
  /** An ECS instance. */
  | { readonly kind: 'instance'; readonly providerId: ProviderId }
  /** A Node without a provider ID, whose instance has to be found. */
  | { readonly kind: 'unidentified' }
  /** A Node that runs pods as container instances, without a machine. */
  | { readonly kind: 'virtual' }
  /** A machine of another product, whose API the controller does not call. The controller only removes the cloud taint. */
  | { readonly kind: 'lingjun' }
  /** A Node that other controllers manage. */
  | { readonly kind: 'unmanaged' }
  /** A Node whose provider ID has an unknown form. */
  | { readonly kind: 'foreign'; readonly providerId: string };

export const hasLabel = ({ metadata }: Node, labels: readonly string[]): boolean =>
  labels.some((label) => metadata.labels?.[label] !== undefined);

export const isVirtualNode = ({ metadata }: Node): boolean => metadata.labels?.['type'] === 'virtual-kubelet';

/** Returns whether a Node is excluded: after initialisation it gets no updates, is never deleted, and has neither routes nor backends. */
export const isExcludedNode = (node: Node): boolean =>
  hasLabel(node, EXCLUDE_NODE_LABELS) || (node.spec?.providerID?.startsWith(HYBRID_PREFIX) ?? false);

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

/** Returns whether the Node names another machine than this instance. */
export function isOtherInstance(node: Node, { id, regionId }: Pick<Instance, 'id' | 'regionId'>): boolean {
  const kind = kindOf(node);
  if (kind.kind === 'unidentified') return false;
  return kind.kind !== 'instance' || kind.providerId.instanceId !== id || kind.providerId.regionId !== regionId;
}

/** Returns the Ready condition of the kubelet; `Unknown` also if the condition is missing. `since` identifies the last transition. */
export function readinessOf({ status }: Node): { readonly status: string; readonly since: string } {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return { status: ready?.status ?? 'Unknown', since: ready?.lastTransitionTime ?? '' };
}

/** Returns the condition of this type with the latest heartbeat. */
export const conditionOf = ({ status }: Node, type: string) =>
  (status?.conditions ?? [])
    .filter((condition) => condition.type === type)
    .toSorted((left, right) => (right.lastHeartbeatTime ?? '').localeCompare(left.lastHeartbeatTime ?? ''))[0];
