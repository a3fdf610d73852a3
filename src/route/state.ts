import { parseCidr } from '../node/cidr.ts';
import type { Tables } from './diff.ts';
import { AVAILABLE, type DesiredRoute, type RouteEntry } from './route.ts';

/** How far the routes of a Node are: `ready` in every table, on their `way` in one, `missing` from one, or `unknown`. */
export type RouteState = 'ready' | 'unknown' | 'way' | 'missing';

/** Entries as they were read never change, and are asked for again and again. */
const READ = new WeakMap<readonly RouteEntry[], ReadonlyMap<string, RouteEntry>>();

function byRange(entries: readonly RouteEntry[]): ReadonlyMap<string, RouteEntry> {
  const known = READ.get(entries);
  if (known !== undefined) return known;
  const read = new Map(entries.map((entry) => [parseCidr(entry.destination)?.text ?? entry.destination, entry]));
  READ.set(entries, read);
  return read;
}

/** By Node. A table that was not read leaves its Nodes `unknown`: nothing is certain. */
export function routeStates(
  routes: readonly DesiredRoute[],
  tables: Tables,
  isComplete: boolean,
): ReadonlyMap<string, RouteState> {
  const entries = [...tables.values()].map(byRange);
  const states = new Map<string, RouteState>();
  for (const { node, cidr, instanceId } of routes) {
    const found = entries.map((table) => table.get(cidr.text));
    const isHere = found.every((entry) => entry?.instanceId === instanceId && entry.status === AVAILABLE);
    const isMissing = found.some((entry) => entry?.instanceId !== instanceId);
    const state = isHere ? 'ready' : isMissing ? 'missing' : 'way';
    states.set(node, isComplete ? worse(states.get(node), state) : 'unknown');
  }
  return states;
}

const RANK: Readonly<Record<RouteState, number>> = { ready: 0, unknown: 1, way: 2, missing: 3 };

const worse = (left: RouteState | undefined, right: RouteState): RouteState =>
  left !== undefined && RANK[left] > RANK[right] ? left : right;
