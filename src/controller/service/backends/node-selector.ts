import {
  backendNodes,
  backendTraits,
  type BackendNodes,
  type NodeSelection,
} from '../../../clb/desired/node-backends.ts';
import type { Node } from '../../../base/objects.ts';
import type { Watched } from '../../../base/store.ts';

/** Answers which Nodes are backends under a selection. */
export type NodeSelector = (selection: NodeSelection) => BackendNodes;

/**
 * Goes through the Nodes once for each selection, and again only when a Node has changed in what matters: thousands of Services
 * have a handful of selections between them.
 */
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
