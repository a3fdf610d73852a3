import type { Node } from '../base/objects.ts';
import { conditionOf } from './kind.ts';

export const NETWORK_CONDITION = 'NetworkUnavailable';

/** The state of a Node's network: its routes were observed, or are missing, or this cluster does not manage routes. */
export type NetworkWord = 'routed' | 'unrouted' | 'unmanaged';

/** The first two are the reasons that all route controllers of Kubernetes use. */
const REASON: Readonly<Record<NetworkWord, string>> = {
  routed: 'RouteCreated',
  unrouted: 'NoRouteCreated',
  unmanaged: 'RoutesNotManaged',
};

/**
 * Returns the condition that keeps pods from a Node without routes, or admits them. Times are of the wall clock. If only reason or message change,
 * the transition time of the condition in `before` stays.
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

/** Returns whether the condition admits pods, whichever component wrote it. */
export const isNetworkAvailable = (node: Node): boolean => conditionOf(node, NETWORK_CONDITION)?.status === 'False';

/** Returns whether a route controller observed the routes. A network plugin knows nothing of routes. */
export const isNetworkRouted = (node: Node): boolean =>
  isNetworkAvailable(node) && conditionOf(node, NETWORK_CONDITION)?.reason === REASON.routed;

export const isNetworkUnavailable = (node: Node): boolean => conditionOf(node, NETWORK_CONDITION)?.status === 'True';

/** Returns whether a route controller keeps pods away, and not another component for another reason. */
export const waitsForRoute = (node: Node): boolean =>
  isNetworkUnavailable(node) && conditionOf(node, NETWORK_CONDITION)?.reason === REASON.unrouted;
