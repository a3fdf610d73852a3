import type { Node } from '../../base/objects.ts';
import { hasLabel, isExcludedNode, isVirtualNode } from '../../node/kind.ts';
import { parseProviderId } from '../../node/provider-id.ts';
import type { ServerId } from '../model/ids.ts';

/** Present, with any value even `false`, on Nodes that must not be backends; the second is the old spelling. */
const EXCLUDE_BACKEND_LABELS = [
  'node.kubernetes.io/exclude-from-external-load-balancers',
  'alpha.service-controller.kubernetes.io/exclude-balancer',
];
/**
 * The control plane of a managed cluster. The newer `node-role.kubernetes.io/control-plane` is not looked at: such Nodes
 * are backends under the existing controller, and kubeadm excludes them by `exclude-from-external-load-balancers` itself.
 */
const MASTER_LABEL = 'node-role.kubernetes.io/master';
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

/** Which Nodes a Service wants as backends. */
export interface NodeSelection {
  /** Labels that a Node must have, all of them; none by default. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether cordoned Nodes are left out. */
  readonly skipUnschedulable: boolean;
}

/** A Node that can take traffic, with its instance. */
export interface BackendNode {
  readonly name: string;
  readonly serverId: ServerId;
}

/** A Node that could take traffic if its provider ID named an instance. */
export interface UnresolvedNode {
  readonly name: string;
  readonly providerId: string;
}

/** The Nodes to use, and those that should be used but name no instance. */
export interface BackendNodes {
  readonly nodes: readonly BackendNode[];
  /** The names of the virtual Nodes, whose pods are backends themselves. */
  readonly virtual: ReadonlySet<string>;
  readonly unresolved: readonly UnresolvedNode[];
}

/** Ready, as the kubelet last said; a Node that has said nothing at all is not. */
export function isReadyNode(node: Node): boolean {
  const conditions = node.status?.conditions ?? [];
  return conditions.length > 0 && conditions.every(({ type, status }) => type !== 'Ready' || status === 'True');
}

const isToBeDeleted = (node: Node): boolean =>
  node.metadata.deletionTimestamp !== undefined ||
  (node.spec?.taints ?? []).some(({ key }) => key === TO_BE_DELETED_TAINT);

/** Whether traffic may go to the Node or to what is on it, if it has the labels that the Service selects. */
const isSelected = (node: Node, { skipUnschedulable }: NodeSelection): boolean =>
  !isToBeDeleted(node) && !hasLabel(node, [MASTER_LABEL]) && !(skipUnschedulable && node.spec?.unschedulable === true);

/** Whether the Node's ECS instance may be a backend of a Service that selects its labels. */
const isCandidate = (node: Node, selection: NodeSelection): boolean =>
  isSelected(node, selection) &&
  !isVirtualNode(node) &&
  !isExcludedNode(node) &&
  !hasLabel(node, EXCLUDE_BACKEND_LABELS) &&
  isReadyNode(node);

/** What decides whether and as what a Node is a backend; two Nodes that are equal in this are alike for every Service. */
export const backendTraits = (node: Node): string =>
  JSON.stringify([
    Object.entries(node.metadata.labels ?? {}).sort(([left], [right]) => (left < right ? -1 : 1)),
    // Nobody looks at the health of a virtual Node.
    isToBeDeleted(node) || (!isVirtualNode(node) && (isExcludedNode(node) || !isReadyNode(node))),
    node.spec?.unschedulable === true,
    node.spec?.providerID ?? '',
  ]);

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  left.name < right.name ? -1 : 1;

/** The Nodes that are backends, by name. One without a provider ID is still being initialised and not worth a word. */
export function backendNodes(all: Iterable<Node>, selection: NodeSelection): BackendNodes {
  const nodes: BackendNode[] = [];
  const virtual = new Set<string>();
  const unresolved: UnresolvedNode[] = [];
  const labels = Object.entries(selection.labels);
  for (const node of all) {
    // First, as hundreds of Services may choose a few of thousands of Nodes each.
    if (!labels.every(([key, value]) => node.metadata.labels?.[key] === value)) continue;
    // They usually carry the labels that exclude a Node, and these do not speak of the pods on them.
    if (isVirtualNode(node) && isSelected(node, selection)) virtual.add(node.metadata.name);
    if (!isCandidate(node, selection)) continue;
    const providerId = node.spec?.providerID ?? '';
    const parsed = parseProviderId(providerId);
    if (parsed !== undefined) nodes.push({ name: node.metadata.name, serverId: parsed.instanceId as ServerId });
    else if (providerId !== '') unresolved.push({ name: node.metadata.name, providerId });
  }
  return { nodes: nodes.sort(byName), virtual, unresolved: unresolved.sort(byName) };
}
