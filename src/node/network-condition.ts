import type { Node } from '../objects.ts';
import { conditionOf } from './kind.ts';

const TYPE = 'NetworkUnavailable';
/** The reasons of this condition that controllers of routes give, ours and all others of Kubernetes. */
const [CREATED, MISSING] = ['RouteCreated', 'NoRouteCreated'] as const;

/** The condition that keeps pods from a Node whose routes are missing, or lets them come; times are of the wall clock. */
export function networkCondition(isAvailable: boolean, message: string, nowMs: number) {
  const at = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  return {
    type: TYPE,
    status: isAvailable ? 'False' : 'True',
    reason: isAvailable ? CREATED : MISSING,
    message,
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
}

/** Whether the condition says so already. One that a network plugin has written counts: it is corrected only when it says the opposite. */
export const saysAvailable = (node: Node): boolean => conditionOf(node, TYPE)?.status === 'False';

export const saysUnavailable = (node: Node): boolean => conditionOf(node, TYPE)?.status === 'True';

/** Whether pods are kept away by a controller of routes, and not by somebody else for another reason. */
export const waitsForRoute = (node: Node): boolean =>
  saysUnavailable(node) && conditionOf(node, TYPE)?.reason === MISSING;
