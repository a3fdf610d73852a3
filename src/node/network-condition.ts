import type { Node } from '../base/objects.ts';
import { conditionOf } from './kind.ts';

export const NETWORK_CONDITION = 'NetworkUnavailable';

/** What is said of a Node's network: its routes were seen, or are missing, or routes are no business of this cluster. */
export type NetworkWord = 'routed' | 'unrouted' | 'unmanaged';

/** The first two are the reasons that controllers of routes give, ours and all others of Kubernetes. */
const REASON: Readonly<Record<NetworkWord, string>> = {
  routed: 'RouteCreated',
  unrouted: 'NoRouteCreated',
  unmanaged: 'RoutesNotManaged',
};

/**
 * The condition that keeps pods from a Node whose routes are missing, or lets them come; times are of the wall clock. The time of
 * transition stays that of the condition which `before` has, when only other words are found for the same.
 */
export function networkCondition(word: NetworkWord, message: string, nowMs: number, before?: Node) {
  const at = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const status = word === 'unrouted' ? 'True' : 'False';
  const known = before === undefined ? undefined : conditionOf(before, NETWORK_CONDITION);
  const since = known?.status === status ? known.lastTransitionTime : undefined;
  return {
    type: NETWORK_CONDITION,
    status,
    reason: REASON[word],
    message,
    lastHeartbeatTime: at,
    lastTransitionTime: since ?? at,
  };
}

/** Whether somebody says that pods may come. */
export const isNetworkAvailable = (node: Node): boolean => conditionOf(node, NETWORK_CONDITION)?.status === 'False';

/** Whether a controller of routes has said so, which has seen the routes. A network plugin knows nothing of them. */
export const isNetworkRouted = (node: Node): boolean =>
  isNetworkAvailable(node) && conditionOf(node, NETWORK_CONDITION)?.reason === REASON.routed;

export const isNetworkUnavailable = (node: Node): boolean => conditionOf(node, NETWORK_CONDITION)?.status === 'True';

/** Whether pods are kept away by a controller of routes, and not by somebody else for another reason. */
export const waitsForRoute = (node: Node): boolean =>
  isNetworkUnavailable(node) && conditionOf(node, NETWORK_CONDITION)?.reason === REASON.unrouted;
