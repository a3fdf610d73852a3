import type { Node } from '../../base/objects.ts';
import { hasLabel, isExcludedNode, isVirtualNode } from '../../node/kind.ts';
import { parseProviderId } from '../../node/provider-id.ts';
import type { ServerId } from '../model/ids.ts';

/** Labels of Nodes that must not be backends, with any value, even `false`. The second label is the old spelling. */
const EXCLUDE_BACKEND_LABELS = [
  'node.kubernetes.io/exclude-from-external-load-balancers',
  'alpha.service-controller.kubernetes.io/exclude-balancer',
];
/**
 * The label of the control plane of a managed cluster. The newer `node-role.kubernetes.io/control-plane` is ignored, as in the existing controller.
 * kubeadm itself adds `exclude-from-external-load-balancers` to such Nodes.
 */
const MASTER_LABEL = 'node-role.kubernetes.io/master';
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

/** The selection of Nodes that a Service wants as backends. */
export interface NodeSelection {
  /** Labels that a Node must have, all of them; none by default. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether cordoned Nodes are excluded. */
  readonly skipUnschedulable: boolean;
}

/** A Node that can receive traffic, with its instance. */
export interface BackendNode {
  readonly name: string;
  readonly serverId: ServerId;
}

/** A Node that could receive traffic if its provider ID named an instance. */
export interface UnresolvedNode {
  readonly name: string;
  readonly providerId: string;
}

/** The Nodes to use, and the Nodes that should be used but name no instance. */
export interface BackendNodes {
  readonly nodes: readonly BackendNode[];
  /** The names of the virtual Nodes, whose pods are backends themselves. */
  readonly virtual: ReadonlySet<string>;
  readonly unresolved: readonly UnresolvedNode[];
}

/** Returns whether a Node is ready by the last report of the kubelet. A Node without conditions is not ready. */
export function isReadyNode(node: Node): boolean {
  const conditions = node.status?.conditions ?? [];
  return conditions.length > 0 && conditions.every(({ type, status }) => type !== 'Ready' || status === 'True');
}

const isToBeDeleted = (node: Node): boolean =>
  node.metadata.deletionTimestamp !== undefined ||
  (node.spec?.taints ?? []).some(({ key }) => key === TO_BE_DELETED_TAINT);

/** Returns whether traffic may go to a Node or to the pods on it, apart from the labels that the Service selects. */
const isSelected = (node: Node, { skipUnschedulable }: NodeSelection): boolean =>
  !isToBeDeleted(node) && !hasLabel(node, [MASTER_LABEL]) && !(skipUnschedulable && node.spec?.unschedulable === true);

/** Returns whether the Node's ECS instance may be a backend of a Service that selects its labels. */
const isCandidate = (node: Node, selection: NodeSelection): boolean =>
  isSelected(node, selection) &&
  !isVirtualNode(node) &&
  !isExcludedNode(node) &&
  !hasLabel(node, EXCLUDE_BACKEND_LABELS) &&
  isReadyNode(node);

/** Returns the traits that decide whether and how a Node is a backend. Nodes with equal traits are equal for every Service. */
export const backendTraits = (node: Node): string =>
  JSON.stringify([
    Object.entries(node.metadata.labels ?? {}).sort(([left], [right]) => (left < right ? -1 : 1)),
    // The health of a virtual Node has no effect.
    isToBeDeleted(node) || (!isVirtualNode(node) && (isExcludedNode(node) || !isReadyNode(node))),
    node.spec?.unschedulable === true,
    node.spec?.providerID ?? '',
  ]);

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  left.name < right.name ? -1 : 1;

/** Returns the Nodes that are backends, by name. A Node without a provider ID is still being initialized and is not reported. */
export function backendNodes(all: Iterable<Node>, selection: NodeSelection): BackendNodes {
  const nodes: BackendNode[] = [];
  const virtual = new Set<string>();
  const unresolved: UnresolvedNode[] = [];
  const labels = Object.entries(selection.labels);
  for (const node of all) {
    // Labels come first: hundreds of Services may select a few of thousands of Nodes each.
    if (!labels.every(([key, value]) => node.metadata.labels?.[key] === value)) continue;
    // Virtual Nodes usually have the labels that exclude a Node, but these labels do not exclude the pods on them.
    if (isVirtualNode(node) && isSelected(node, selection)) virtual.add(node.metadata.name);
    if (!isCandidate(node, selection)) continue;
    const providerId = node.spec?.providerID ?? '';
    const parsed = parseProviderId(providerId);
    if (parsed !== undefined) nodes.push({ name: node.metadata.name, serverId: parsed.instanceId as ServerId });
    else if (providerId !== '') unresolved.push({ name: node.metadata.name, providerId });
  }
  return { nodes: nodes.sort(byName), virtual, unresolved: unresolved.sort(byName) };
}
