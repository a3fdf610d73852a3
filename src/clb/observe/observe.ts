import { hasReason, PortcullisError } from '../../base/errors.ts';
import { ALL_PARTS, type Part } from '../model/effect.ts';
import type { LoadBalancerId, VServerGroupId } from '../model/ids.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { forgetDomains, isDomains, portOf, unreadDomains, withDomains } from './domain-extensions.ts';
import { defaultLoadBalancerName, isNameOfOtherNamespace, isOwnName, OWNER_TAG, parseName } from '../model/naming.ts';
import { isOwnLoadBalancer, type OwnershipEvidence } from '../model/ownership.ts';
import type { ReadApi } from './resumed-reads.ts';
import { requestsLoadBalancerChange } from '../guards/shared-load-balancer.ts';
import type { CallContext } from '../../plan/call.ts';
import type { VServerGroup, VServerGroupWithBackends } from '../model/server-group.ts';
import {
  findGroup,
  obsoleteGroups,
  managesListeners,
  NOTHING_THERE,
  type Desired,
  type Observed,
} from '../model/state.ts';

/** What is believed of the cloud, and which parts of it have to be read before they are relied on. */
export interface ObservedCache {
  readonly observed: Observed;
  readonly doubts: ReadonlySet<Part>;
}

export const EMPTY_CACHE: ObservedCache = { observed: NOTHING_THERE, doubts: new Set(ALL_PARTS) };

/** Everything is to be read again; only which load balancer it was is kept, as a place to look first. */
export const invalidateAll = ({ observed: { loadBalancer } }: ObservedCache): ObservedCache => ({
  observed: loadBalancer === undefined ? NOTHING_THERE : { ...NOTHING_THERE, loadBalancer },
  doubts: EMPTY_CACHE.doubts,
});

/** These parts are to be read again. */
export function invalidate(known: ObservedCache, parts: readonly Part[]): ObservedCache {
  if (ALL_PARTS.every((part) => parts.includes(part))) return invalidateAll(known);
  return {
    observed: forgetDomains(known.observed, parts.filter(isDomains).map(portOf)),
    doubts: new Set([...known.doubts, ...parts.filter((part) => !isDomains(part))]),
  };
}

/** What helps to find a Service's own load balancer; hints that are proved before they are believed. */
export interface LookupHints extends OwnershipEvidence {
  readonly recordedId?: LoadBalancerId;
  /** Whether there seems to be one more that is marked as the Service's: then the recorded one is not believed to be the only one. */
  readonly hasDuplicate?: boolean;
}

/**
 * Returns the parts that the plan for `desired` depends on. An owned load balancer is deleted without a look at its contents; if it is
 * preserved, its backends are read. Listeners that the Service does not manage matter if groups are removed or attributes change.
 */
function relevant(desired: Desired, observed: Observed): readonly Part[] {
  if (desired.kind === 'absent') {
    if (desired.use.kind === 'reused') return ALL_PARTS;
    return desired.preserve ? ['load-balancer', 'groups'] : ['load-balancer'];
  }
  const areListenersUsed =
    managesListeners(desired.use) ||
    obsoleteGroups(desired, observed).length > 0 ||
    requestsLoadBalancerChange(desired, observed);
  return areListenersUsed ? ALL_PARTS : ['load-balancer', 'groups'];
}

/** The parts to read for `desired`, given what is known. None of them means that memory is enough. */
export function partsToRead(desired: Desired, { doubts, observed }: ObservedCache): readonly Part[] {
  const wanted = relevant(desired, observed);
  const isRelevant = (part: Part): boolean => wanted.includes(part.startsWith('group:') ? 'groups' : part);
  const domains =
    managesListeners(desired.use) && wanted.includes('listeners') && !doubts.has('listeners')
      ? unreadDomains(desired, observed)
      : [];
  return [...[...doubts].filter(isRelevant), ...domains];
}

/** What reading is done with. */
export interface Reading {
  readonly hints: LookupHints;
  readonly api: ReadApi;
  readonly context: CallContext;
  /** Told after every call, so that a later one that fails does not cost those before it again. */
  readonly learn: (known: ObservedCache) => void;
}

/** Whether the Service names a group that is not known: a person may have made it just now. */
const lacksNamedGroups = (desired: Desired, { observed }: ObservedCache): boolean =>
  desired.kind === 'present' &&
  observed.loadBalancer !== undefined &&
  desired.groups.some(({ id }) => id !== undefined && !observed.groups.some((group) => group.id === id));

/** In the order of reading: what holds the others comes first. */
const ORDER: readonly Part[] = ['load-balancer', 'listeners', 'groups'];

/**
 * Reads what is in doubt, part by part, and answers what is known then.
 * Rejects when any read fails: what is missing from a part is never taken for absent.
 */
export async function observe(desired: Desired, known: ObservedCache, reading: Reading): Promise<ObservedCache> {
  let now = lacksNamedGroups(desired, known) ? invalidate(known, ['groups']) : known;
  for (let parts = partsToRead(desired, now); parts.length > 0; parts = partsToRead(desired, now)) {
    const part = ORDER.find((candidate) => parts.includes(candidate)) ?? parts[0];
    if (part === undefined) break;
    try {
      now = await readPart(part, desired, now, reading);
    } catch (error) {
      // Of a load balancer that is gone nothing can be read any more.
      if (hasReason(error, 'NotFound')) reading.learn(invalidate(now, ['load-balancer']));
      throw error;
    }
    reading.learn(now);
  }
  return now;
}

async function readPart(part: Part, desired: Desired, known: ObservedCache, reading: Reading): Promise<ObservedCache> {
  const { api, context } = reading;
  const { observed } = known;
  const doubts = new Set([...known.doubts].filter((other) => other !== part));
  if (part === 'load-balancer')
    return withLoadBalancer(known, await findLoadBalancer(desired, observed.loadBalancer?.id, reading));
  const id = observed.loadBalancer?.id;
  if (id === undefined) return { observed: NOTHING_THERE, doubts: new Set() };
  if (part === 'listeners')
    return { observed: { ...observed, listeners: await api.listListeners(id, context) }, doubts };
  if (part === 'groups') return listed(await api.listServerGroups(id, context), desired, { observed, doubts });
  if (isDomains(part)) {
    const port = portOf(part);
    return { observed: withDomains(observed, port, await api.listDomainExtensions(id, port, context)), doubts };
  }
  const group = findGroup(observed, part.slice('group:'.length));
  if (group === undefined) return { observed, doubts };
  const read = await readGroup(group.id, api, context);
  const groups = observed.groups.flatMap((other) => (other === group ? (read ?? []) : [other]));
  return { observed: { ...observed, groups }, doubts };
}

/** Returns what is known once a load balancer was read, or proven absent. Nothing that was known of one holds for another. */
export function withLoadBalancer(
  { observed, doubts }: ObservedCache,
  loadBalancer: LoadBalancer | undefined,
): ObservedCache {
  if (loadBalancer === undefined) return { observed: NOTHING_THERE, doubts: new Set() };
  const isAnother = observed.loadBalancer !== undefined && observed.loadBalancer.id !== loadBalancer.id;
  return isAnother
    ? { observed: { ...NOTHING_THERE, loadBalancer }, doubts: new Set(['listeners', 'groups']) }
    : {
        observed: { ...observed, loadBalancer },
        doubts: new Set([...doubts].filter((part) => part !== 'load-balancer')),
      };
}

/**
 * The groups whose name is ours. On a load balancer that people have made, their groups as well: our backends may be in any of
 * them, put there when the Service named it. Members of those seen for the first time are still to be read.
 */
function listed(
  present: readonly VServerGroup[],
  { owner, use }: Desired,
  { observed, doubts }: ObservedCache,
): ObservedCache {
  const isOfPeople = ({ name }: VServerGroup): boolean => use.kind === 'reused' && parseName(name) === undefined;
  const own = present.filter((group) => isOwnName(owner, group.name) || isOfPeople(group));
  const before = new Map(observed.groups.map((group) => [group.id, group]));
  const groups = own.map((group): VServerGroupWithBackends => before.get(group.id) ?? { ...group, backends: [] });
  const fresh = own.filter(({ id }) => !before.has(id)).map(({ id }): Part => `group:${id}`);
  const groupOfOtherNamespace = present.find(({ name }) => isNameOfOtherNamespace(owner, name))?.name;
  return {
    observed: { ...observed, groups, groupOfOtherNamespace },
    doubts: new Set([...doubts, ...fresh]),
  };
}

async function findLoadBalancer(
  { owner, use }: Desired,
  knownId: LoadBalancerId | undefined,
  { hints, api, context }: Reading,
): Promise<LoadBalancer | undefined> {
  if (use.kind === 'reused') return api.read(use.id, context);
  const { recordedId, published, hasDuplicate: isDoubled = false } = hints;
  const id = knownId ?? recordedId;
  const recorded = id === undefined ? undefined : await api.read(id, context);
  const believed = recorded !== undefined && isOwnLoadBalancer(owner, recorded, { published }) ? [recorded] : [];
  if (believed.length > 0 && !isDoubled) return recorded;
  const name = defaultLoadBalancerName(owner.uid);
  const marked = await api.findByTag(OWNER_TAG, name, context);
  const tagged = theOne([...believed, ...marked.filter((other) => believed.every((each) => each.id !== other.id))]);
  if (tagged !== undefined) return tagged;
  // What was recorded by itself proves less than any tag.
  if (recorded !== undefined && isOwnLoadBalancer(owner, recorded, hints)) return recorded;
  const named = published.length === 0 ? [] : await api.findByName(name, context);
  return theOne(named.filter((candidate) => isOwnLoadBalancer(owner, candidate, hints)));
}

function theOne(found: readonly LoadBalancer[]): LoadBalancer | undefined {
  if (found.length <= 1) return found[0];
  const ids = found.map(({ id }) => id).sort();
  throw new PortcullisError(
    'Rejected',
    `load balancers ${ids.join(', ')} are all marked as this Service's; delete all but one, or take the tag ${OWNER_TAG} from the others`,
  );
}

/** Absent when the group has gone since it was listed. */
async function readGroup(
  id: VServerGroupId,
  api: ReadApi,
  context: CallContext,
): Promise<VServerGroupWithBackends | undefined> {
  try {
    return await api.readServerGroup(id, context);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
