import type { Node } from '../base/objects.ts';
import type { Instance } from './instance.ts';
import { HYBRID_PREFIX, parseProviderId, type ProviderId } from './provider-id.ts';

/** Present, with any value, on Nodes that are not ours to manage at all; the second is the deprecated spelling. */
export const EXCLUDE_NODE_LABELS = [
  'service.alibabacloud.com/exclude-node',
  'service.beta.kubernetes.io/exclude-node',
] as const;
const LINGJUN_LABEL = 'alibabacloud.com/lingjun-worker';
/** LingJun machines of an environment that looks after them itself. */
const TIANWEN_LABEL = 'alibabacloud.com/lingjun-tianwen-environment';

/** What kind of machine a Node is, and so what is done about it. */
export type NodeKind =
  /** An ECS instance. */
  | { readonly kind: 'instance'; readonly providerId: ProviderId }
  /** Without a provider ID: the instance is still to be found. */
  | { readonly kind: 'unidentified' }
  /** Runs pods as container instances; there is no machine behind it. */
  | { readonly kind: 'virtual' }
  /** Of another product, which we cannot ask about; only freed of the cloud taint. */
  | { readonly kind: 'lingjun' }
  /** Somebody else's altogether. */
  | { readonly kind: 'unmanaged' }
  /** Its provider ID can be read by nobody here. */
  | { readonly kind: 'foreign'; readonly providerId: string };

export const hasLabel = ({ metadata }: Node, labels: readonly string[]): boolean =>
  labels.some((label) => metadata.labels?.[label] !== undefined);

export const isVirtualNode = ({ metadata }: Node): boolean => metadata.labels?.['type'] === 'virtual-kubelet';

/** Nodes that are initialised, and then left alone: not kept up to date, not removed, without a route, no backends. */
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

/** Whether a Node says of itself that it is another machine than this instance. */
export function isAnother(node: Node, { id, regionId }: Pick<Instance, 'id' | 'regionId'>): boolean {
  const kind = kindOf(node);
  if (kind.kind === 'unidentified') return false;
  return kind.kind !== 'instance' || kind.providerId.instanceId !== id || kind.providerId.regionId !== regionId;
}

/** Ready as the kubelet last said: `Unknown` also when it has said nothing. `since` tells one time of it from another. */
export function readinessOf({ status }: Node): { readonly status: string; readonly since: string } {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return { status: ready?.status ?? 'Unknown', since: ready?.lastTransitionTime ?? '' };
}

/** The condition of a Node, as somebody last wrote it. */
export const conditionOf = ({ status }: Node, type: string) =>
  (status?.conditions ?? [])
    .filter((condition) => condition.type === type)
    .toSorted((left, right) => (right.lastHeartbeatTime ?? '').localeCompare(left.lastHeartbeatTime ?? ''))[0];
