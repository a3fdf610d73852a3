import type { Node } from '../base/kubernetes-objects.ts';
import { EXCLUDE_NODE_LABELS, isExcludedNode, isVirtualNode } from './kind.ts';
import { waitsForRoute } from './network-condition.ts';
import { parseProviderId } from './provider-id.ts';
import type { NodeSettings } from './settings.ts';

/** Returns the reason why a waiting Node never gets a route, for the message of its condition. Undefined for any other Node. */
export function whyUnrouted(
  node: Node,
  { routes, regionId }: Pick<NodeSettings, 'routes' | 'regionId'>,
): string | undefined {
  if (!waitsForRoute(node)) return undefined;
  if (!routes) return 'The controller does not manage routes';
  if (parseProviderId(node.spec?.providerID ?? '')?.regionId !== regionId) return undefined;
  if (isExcludedNode(node))
    return `The Node has the label ${EXCLUDE_NODE_LABELS.join(' or ')}, so the controller creates no route`;
  return isVirtualNode(node) ? 'The Node is virtual, so the controller creates no route' : undefined;
}
