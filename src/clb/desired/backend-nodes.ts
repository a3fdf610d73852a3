import type { Node } from '../../base/kubernetes-objects.ts';
import { hasLabel, isExcludedNode, isVirtualNode } from '../../node/kind.ts';
import { parseProviderId } from '../../node/provider-id.ts';
import type { ServerId } from '../model/ids.ts';

/** Labels that exclude a Node from backends, with any value, even `false`. The second label is the old name of the first. */
const EXCLUDE_BACKEND_LABELS = [
  // kubeadm sets this label on control plane Nodes.
  'node.kubernetes.io/exclude-from-external-load-balancers',
  'alpha.service-controller.kubernetes.io/exclude-balancer',
];
/** The label of control plane Nodes. The label `control-plane` has no effect, as in the Alibaba Cloud Controller Manager. */
const MASTER_LABEL = 'node-role.kubernetes.io/master';
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

/** The selection of Nodes that a Service wants as backends. */
export interface NodeSelection {
  /** Labels that a Node must have; empty by default. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether cordoned Nodes are excluded. */
  readonly skipUnschedulable: boolean;
}

/** A Node that can receive traffic, with its instance. */
export interface BackendNode {
  readonly name: string;
  readonly serverId: ServerId;
}

/** A Node that should receive traffic, but whose provider ID names no ECS instance. */
export interface UnresolvedNode {
  readonly name: string;
  readonly providerId: string;
}

/** The Nodes that can be backends of a Service, and the Nodes whose ECS instance is unknown. */
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

/** Returns whether a Node or the pods on the Node may receive traffic. Does not check the labels that the Service selects. */
const mayReceiveTraffic = (node: Node, { skipUnschedulable }: NodeSelection): boolean =>
  !isToBeDeleted(node) && !hasLabel(node, [MASTER_LABEL]) && !(skipUnschedulable && node.spec?.unschedulable === true);

/** Returns whether the ECS instance of a Node may be a backend. Does not check the labels that the Service selects. */
const isCandidate = (node: Node, selection: NodeSelection): boolean =>
  mayReceiveTraffic(node, selection) &&
  !isVirtualNode(node) &&
  !isExcludedNode(node) &&
  !hasLabel(node, EXCLUDE_BACKEND_LABELS) &&
  isReadyNode(node);

/** Returns the properties of a Node that affect its role as a backend, as text. A change that keeps the text reconciles no Service. */
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

/** Returns the Nodes that can be backends of Services with this selection, sorted by name. */
export function backendNodes(all: Iterable<Node>, selection: NodeSelection): BackendNodes {
  const nodes: BackendNode[] = [];
  const virtual = new Set<string>();
  const unresolved: UnresolvedNode[] = [];
  const labels = Object.entries(selection.labels);
  for (const node of all) {
    // The labels are checked first: hundreds of Services may each select a few of thousands of Nodes.
    if (!labels.every(([key, value]) => node.metadata.labels?.[key] === value)) continue;
    // Labels that exclude a virtual Node do not exclude the pods on the Node.
    if (isVirtualNode(node) && mayReceiveTraffic(node, selection)) virtual.add(node.metadata.name);
    if (!isCandidate(node, selection)) continue;
    // A Node has no provider ID until the node controller initializes the Node.
    const providerId = node.spec?.providerID ?? '';
    const parsed = parseProviderId(providerId);
    if (parsed !== undefined) nodes.push({ name: node.metadata.name, serverId: parsed.instanceId as ServerId });
    else if (providerId !== '') unresolved.push({ name: node.metadata.name, providerId });
  }
  return { nodes: nodes.sort(byName), virtual, unresolved: unresolved.sort(byName) };
}
