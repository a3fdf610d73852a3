import type { Node } from '../base/kubernetes-objects.ts';
import { conditionOf } from './kind.ts';

export const NETWORK_CONDITION = 'NetworkUnavailable';

/** The state of a Node's network: routes were observed, routes are missing, or the controller creates no route for the Node. */
export type NetworkState = 'routed' | 'unrouted' | 'unmanaged';

/** The reasons of the condition. All route controllers of Kubernetes use the first two. */
const REASON: Readonly<Record<NetworkState, string>> = {
  routed: 'RouteCreated',
  unrouted: 'NoRouteCreated',
  unmanaged: 'RoutesNotManaged',
};

/** Returns the condition NetworkUnavailable at the wall-clock time `nowMs`. An unchanged status keeps the transition time of `before`. */
export function networkCondition(state: NetworkState, message: string, nowMs: number, before?: Node) {
  const at = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const status = state === 'unrouted' ? 'True' : 'False';
  const known = before === undefined ? undefined : conditionOf(before, NETWORK_CONDITION);
  const since = known?.status === status ? known.lastTransitionTime : undefined;
  return {
    type: NETWORK_CONDITION,
    status,
    reason: REASON[state],
    message,
    lastHeartbeatTime: at,
    lastTransitionTime: since ?? at,
  };
}

/** Returns whether the condition admits pods to the Node. A network plugin or another controller may have written the condition. */
export const isNetworkAvailable = (node: Node): boolean => conditionOf(node, NETWORK_CONDITION)?.status === 'False';

/** Returns whether a route controller observed the routes of the Node. A condition of a network plugin proves no routes. */
export const isNetworkRouted = (node: Node): boolean =>
  isNetworkAvailable(node) && conditionOf(node, NETWORK_CONDITION)?.reason === REASON.routed;

export const isNetworkUnavailable = (node: Node): boolean => conditionOf(node, NETWORK_CONDITION)?.status === 'True';

/** Returns whether a route controller keeps pods away from the Node until its route exists. */
export const waitsForRoute = (node: Node): boolean =>
  isNetworkUnavailable(node) && conditionOf(node, NETWORK_CONDITION)?.reason === REASON.unrouted;
