import type { Node } from '../base/objects.ts';
import { isExcludedNode, isVirtualNode } from './kind.ts';
import { waitsForRoute } from './network-condition.ts';
import { parseProviderId } from './provider-id.ts';
import type { NodeSettings } from './settings.ts';

/**
 * Whether a Node waits for a route that nobody makes: routes were switched off, or it was excluded while it waited. Of instances that
 * are not of this region somebody else may have said so, and makes their routes.
 */
export function hasWaitedTooLong(node: Node, { routes, regionId }: Pick<NodeSettings, 'routes' | 'regionId'>): boolean {
  if (!waitsForRoute(node)) return false;
  if (!routes) return true;
  const isHere = parseProviderId(node.spec?.providerID ?? '')?.regionId === regionId;
  return isHere && (isExcludedNode(node) || isVirtualNode(node));
}
