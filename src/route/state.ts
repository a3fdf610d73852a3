import { parseCidr } from '../node/cidr.ts';
import type { Tables } from './diff.ts';
import { AVAILABLE, type DesiredRoute } from './route.ts';

/** How far the routes of a Node are: `ready` in every table, on their `way`, or `missing` from one for certain. */
export type RouteState = 'ready' | 'way' | 'missing';

/** By Node. A table that was not read leaves its Nodes `way`: nothing is certain. */
export function routeStates(
  routes: readonly DesiredRoute[],
  tables: Tables,
  isComplete: boolean,
): ReadonlyMap<string, RouteState> {
  const entries = [...tables.values()].map(
    (table) => new Map(table.map((entry) => [parseCidr(entry.destination)?.text ?? entry.destination, entry])),
  );
  const states = new Map<string, RouteState>();
  for (const { node, cidr, instanceId } of routes) {
    const found = entries.map((table) => table.get(cidr.text));
    const isHere = found.every((entry) => entry?.instanceId === instanceId && entry.status === AVAILABLE);
    const isMissing = found.some((entry) => entry?.instanceId !== instanceId);
    const state = !isComplete || (!isHere && !isMissing) ? 'way' : isHere ? 'ready' : 'missing';
    states.set(node, worse(states.get(node), state));
  }
  return states;
}

const RANK: Readonly<Record<RouteState, number>> = { ready: 0, way: 1, missing: 2 };

const worse = (left: RouteState | undefined, right: RouteState): RouteState =>
  left !== undefined && RANK[left] > RANK[right] ? left : right;
