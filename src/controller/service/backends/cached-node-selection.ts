import {
  backendNodes,
  backendTraits,
  type BackendNodes,
  type NodeSelection,
} from '../../../clb/desired/backend-nodes.ts';
import type { Node } from '../../../base/kubernetes-objects.ts';
import type { Watched } from '../../../base/cache-interfaces.ts';

/** Returns the Nodes that can be backends under a selection. */
export type NodeSelector = (selection: NodeSelection) => BackendNodes;

/** Creates the selector for all reconciles. Caches the result of each selection, because thousands of Services share few selections. */
export function nodeSelector(nodes: Watched<Node>): NodeSelector {
  const known = new Map<string, BackendNodes>();
  nodes.onChange(({ before, after }) => {
    if (before === undefined || after === undefined || backendTraits(before) !== backendTraits(after)) known.clear();
  });
  return (selection) => {
    const key = JSON.stringify([selection.skipUnschedulable, Object.entries(selection.labels).sort()]);
    const selected = known.get(key) ?? backendNodes(nodes.values(), selection);
    known.set(key, selected);
    return selected;
  };
}
