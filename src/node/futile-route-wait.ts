import type { Node } from '../base/kubernetes-objects.ts';
import { isExcludedNode, isVirtualNode } from './kind.ts';
import { waitsForRoute } from './network-condition.ts';
import { parseProviderId } from './provider-id.ts';
import type { NodeSettings } from './settings.ts';

/**
 * Returns whether a Node waits for a route that no controller creates: routes are switched off, or the Node is now excluded or virtual. A reconcile
 * then sets NetworkUnavailable to false. If routes are on, Nodes of other regions keep waiting.
 */
export function waitsForever(node: Node, { routes, regionId }: Pick<NodeSettings, 'routes' | 'regionId'>): boolean {
  if (!waitsForRoute(node)) return false;
  if (!routes) return true;
  const isHere = parseProviderId(node.spec?.providerID ?? '')?.regionId === regionId;
  return isHere && (isExcludedNode(node) || isVirtualNode(node));
}
