import type { Node } from '../../../../src/objects.ts';
import type { Invariant, NodePicture } from '../moment.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

const hasTaint = ({ spec }: Node): boolean => spec?.taints?.some(({ key }) => key === UNINITIALIZED) ?? false;

/** Nodes of machines that are no instances: there is nothing to be found. */
const isWithoutInstance = ({ metadata: { labels = {} } }: Node): boolean =>
  labels['type'] === 'virtual-kubelet' || Object.keys(labels).some((label) => label.includes('lingjun'));

const networkStatus = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.status;

const isCleared = (before: Node, after: Node): boolean =>
  networkStatus(before) === 'True' && networkStatus(after) === 'False';

const isLetIn = (before: Node, after: Node): boolean => hasTaint(before) && !hasTaint(after);

function faultOf(before: Node, after: Node, { hasInstance, unrouted }: NodePicture): string | undefined {
  if (isLetIn(before, after) && !hasInstance && !isWithoutInstance(after)) return 'is let in, but has no instance';
  return isCleared(before, after) && unrouted.length > 0 ? `has no route for ${unrouted.join(', ')}` : undefined;
}

export const taintTruth: Invariant = {
  name: 'TaintTruth',
  says: 'a Node is let in only when its instance is there, and its network is available only when its routes are',
  check: (history, { judged }) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'stored' || moment.plural !== 'nodes' || moment.by !== 'controller') return [];
      const { before, after, node, key } = moment;
      if (before === undefined || after === undefined || node === undefined) return [];
      if (isLetIn(before, after) || isCleared(before, after)) judged();
      const fault = faultOf(before, after, node);
      return fault === undefined ? [] : [{ at, found: `the Node ${key} ${fault}` }];
    }),
};
