import { parseCidr } from '../node/cidr.ts';
import type { Tables } from './diff.ts';
import { AVAILABLE, type DesiredRoute, type RouteEntry } from './route.ts';

/** The state of the routes of a Node. `pending`: every table has the entry, but not every entry is available. */
export type RouteReadiness = 'ready' | 'unknown' | 'pending' | 'missing';

/** The entries of a list by range. A list never changes in place and is used repeatedly, so the result is cached. */
const READ = new WeakMap<readonly RouteEntry[], ReadonlyMap<string, RouteEntry>>();

function byRange(entries: readonly RouteEntry[]): ReadonlyMap<string, RouteEntry> {
  const known = READ.get(entries);
  if (known !== undefined) return known;
  const read = new Map(entries.map((entry) => [parseCidr(entry.destination)?.text ?? entry.destination, entry]));
  READ.set(entries, read);
  return read;
}

/** Returns the state of the routes of each Node, by name of the Node. */
export function routeStates(
  routes: readonly DesiredRoute[],
  tables: Tables,
  /** Whether all tables were read. If false, all states are `unknown`. */
  isComplete: boolean,
): ReadonlyMap<string, RouteReadiness> {
  const entries = [...tables.values()].map(byRange);
  const states = new Map<string, RouteReadiness>();
  for (const { node, cidr, instanceId } of routes) {
    const found = entries.map((table) => table.get(cidr.text));
    const isHere = found.every((entry) => entry?.instanceId === instanceId && entry.status === AVAILABLE);
    const isMissing = found.some((entry) => entry?.instanceId !== instanceId);
    const state = isHere ? 'ready' : isMissing ? 'missing' : 'pending';
    states.set(node, isComplete ? worse(states.get(node), state) : 'unknown');
  }
  return states;
}

const RANK: Readonly<Record<RouteReadiness, number>> = { ready: 0, unknown: 1, pending: 2, missing: 3 };

const worse = (left: RouteReadiness | undefined, right: RouteReadiness): RouteReadiness =>
  left !== undefined && RANK[left] > RANK[right] ? left : right;
