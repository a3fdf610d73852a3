import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import type { Invariant, NodePicture } from '../moment.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

const NETWORK_UNAVAILABLE = 'node.kubernetes.io/network-unavailable';

const hasTaint = ({ spec }: Node, wanted: string): boolean => spec?.taints?.some(({ key }) => key === wanted) ?? false;

/** Returns whether the machine of a Node is no ECS instance, so the cloud has no data about it. */
const isWithoutInstance = ({ metadata: { labels = {} } }: Node): boolean =>
  labels['type'] === 'virtual-kubelet' || Object.keys(labels).some((label) => label.includes('lingjun'));

const networkOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');

/** Returns whether a route controller reports the network as ready. A network plugin has another reason, because it does not read routes. */
const hasRoutedCondition = (node: Node): boolean => {
  const network = networkOf(node);
  return network?.status === 'False' && network.reason === 'RouteCreated';
};

const becomesAvailable = (before: Node, after: Node): boolean =>
  (networkOf(before)?.status === 'True' && networkOf(after)?.status === 'False') ||
  (hasRoutedCondition(after) && !hasRoutedCondition(before));

const becomesInitialized = (before: Node, after: Node): boolean =>
  hasTaint(before, UNINITIALIZED) && !hasTaint(after, UNINITIALIZED);

/** Returns whether a Node is excluded by its label, and therefore waits for no route. */
const isExcluded = ({ metadata: { labels = {} } }: Node): boolean =>
  Object.keys(labels).some((label) => label.endsWith('/exclude-node'));

/** Returns whether the condition correctly reports that no controller manages the routes of the Node. */
const isReleased = (node: Node): boolean =>
  networkOf(node)?.reason === 'RoutesNotManaged' && (isExcluded(node) || isWithoutInstance(node));

function violationOf(before: Node, after: Node, { hasInstance, unrouted }: NodePicture): string | undefined {
  if (becomesAvailable(before, after) && unrouted.length > 0 && !isReleased(after))
    return `has no route for ${unrouted.join(', ')}`;
  if (!becomesInitialized(before, after) || isWithoutInstance(after)) return undefined;
  if (!hasInstance) return 'is initialized without an instance';
  const mayWait = unrouted.length > 0 && !isExcluded(after) && !hasRoutedCondition(before);
  return mayWait && !hasTaint(after, NETWORK_UNAVAILABLE)
    ? `is initialized without a route for ${unrouted.join(', ')}`
    : undefined;
}

/** Pods on a Node without its instance or its routes are unreachable. */
export const taintsCorrect: Invariant = {
  name: 'NodeTaints',
  statement: 'a Node is initialized only with its instance, and available only with its routes',
  check: (history, { evaluated, clusterCidrs }) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'stored' || moment.plural !== 'nodes' || moment.by !== 'controller') return [];
      const { before, after, node, key } = moment;
      if (before === undefined || after === undefined || node === undefined) return [];
      if (becomesInitialized(before, after) || becomesAvailable(before, after)) evaluated();
      const violation = violationOf(before, after, clusterCidrs.length === 0 ? { ...node, unrouted: [] } : node);
      return violation === undefined ? [] : [{ at, found: `the Node ${key} ${violation}` }];
    }),
};
