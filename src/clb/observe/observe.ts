import { hasReason, PortcullisError } from '../../base/errors.ts';
import { ALL_PARTS, type ObservedPart } from '../model/invalidated-parts.ts';
import type { LoadBalancerId, VServerGroupId } from '../model/ids.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { forgetDomains, isDomains, portOf, unreadDomains, withDomains } from './unread-domains.ts';
import { defaultLoadBalancerName, isNameOfOtherNamespace, isOwnName, OWNER_TAG, parseName } from '../model/naming.ts';
import { isOwnLoadBalancer, type OwnershipEvidence } from '../model/ownership.ts';
import { requestsLoadBalancerChange } from '../diff/shared-changes.ts';
import type { ClbApi } from '../model/clb-api.ts';
import type { CallContext } from '../../plan/call-context.ts';
import type { VServerGroup, VServerGroupWithBackends } from '../model/server-group.ts';
import {
  findGroup,
  obsoleteGroups,
  managesListeners,
  NOTHING_THERE,
  type Desired,
  type Observed,
} from '../model/desired-and-observed-state.ts';

/** The observed state of a Service, which the controller keeps in memory, and its parts to read again before use. */
export interface ObservedCache {
  readonly observed: Observed;
  readonly invalidated: ReadonlySet<ObservedPart>;
}

export const EMPTY_CACHE: ObservedCache = { observed: NOTHING_THERE, invalidated: new Set(ALL_PARTS) };

/** Invalidates all parts. Keeps only the load balancer, as a hint for the next lookup. */
export const invalidateAll = ({ observed: { loadBalancer } }: ObservedCache): ObservedCache => ({
  observed: loadBalancer === undefined ? NOTHING_THERE : { ...NOTHING_THERE, loadBalancer },
  invalidated: EMPTY_CACHE.invalidated,
});

/** Invalidates parts of the observed state. */
export function invalidate(known: ObservedCache, parts: readonly ObservedPart[]): ObservedCache {
  if (ALL_PARTS.every((part) => parts.includes(part))) return invalidateAll(known);
  return {
    observed: forgetDomains(known.observed, parts.filter(isDomains).map(portOf)),
    invalidated: new Set([...known.invalidated, ...parts.filter((part) => !isDomains(part))]),
  };
}

/** Hints for the lookup of a Service's own load balancer. Each hint is verified before use. */
export interface LookupHints extends OwnershipEvidence {
  readonly recordedId?: LoadBalancerId;
  /** Whether the lookup searches for a second load balancer with the owner tag, even if the recorded load balancer is owned. */
  readonly hasDuplicate?: boolean;
}

/** Returns the parts that the plan depends on. */
function relevant(desired: Desired, observed: Observed): readonly ObservedPart[] {
  if (desired.kind === 'absent') {
    if (desired.use.kind === 'reused') return ALL_PARTS;
    return desired.preserve ? ['load-balancer', 'groups'] : ['load-balancer'];
  }
  // Listeners of users matter only if groups are removed, or attributes or tags change.
  const areListenersUsed =
    managesListeners(desired.use) ||
    obsoleteGroups(desired, observed).length > 0 ||
    requestsLoadBalancerChange(desired, observed);
  return areListenersUsed ? ALL_PARTS : ['load-balancer', 'groups'];
}

/** Returns the parts to read for `desired`; none if the cached state is sufficient. */
export function partsToRead(desired: Desired, { invalidated, observed }: ObservedCache): readonly ObservedPart[] {
  const wanted = relevant(desired, observed);
  const isRelevant = (part: ObservedPart): boolean => wanted.includes(part.startsWith('group:') ? 'groups' : part);
  const domains =
    managesListeners(desired.use) && wanted.includes('listeners') && !invalidated.has('listeners')
      ? unreadDomains(desired, observed)
      : [];
  return [...[...invalidated].filter(isRelevant), ...domains];
}

/** The calls that read a load balancer and its parts. */
type ReadApi = Pick<
  ClbApi,
  | 'read'
  | 'findByTag'
  | 'findByName'
  | 'listListeners'
  | 'listServerGroups'
  | 'readServerGroup'
  | 'listDomainExtensions'
>;

export interface Reading {
  readonly hints: LookupHints;
  readonly api: ReadApi;
  readonly context: CallContext;
  /** Receives the state after each call, so that a retry after a failure does not repeat earlier calls. */
  readonly onObserved: (known: ObservedCache) => void;
}

/**
 * Returns whether to list the groups again: the annotation `vgroup-port` names an uncached group, which a user may have created since the last read.
 */
const lacksNamedGroups = (desired: Desired, { observed }: ObservedCache): boolean =>
  desired.kind === 'present' &&
  observed.loadBalancer !== undefined &&
  desired.groups.some(({ id }) => id !== undefined && !observed.groups.some((group) => group.id === id));

/** The order of reads: a load balancer before its listeners and groups. */
const ORDER: readonly ObservedPart[] = ['load-balancer', 'listeners', 'groups'];

/** Reads the invalidated parts and returns the updated state. Rejects if a read fails, because missing data does not prove absence. */
export async function observe(desired: Desired, known: ObservedCache, reading: Reading): Promise<ObservedCache> {
  let now = lacksNamedGroups(desired, known) ? invalidate(known, ['groups']) : known;
  for (let parts = partsToRead(desired, now); parts.length > 0; parts = partsToRead(desired, now)) {
    const part = ORDER.find((candidate) => parts.includes(candidate)) ?? parts[0];
    if (part === undefined) break;
    try {
      now = await readPart(part, desired, now, reading);
    } catch (error) {
      // The load balancer may have been deleted, so the next attempt looks up the load balancer first.
      if (hasReason(error, 'NotFound')) reading.onObserved(invalidate(now, ['load-balancer']));
      throw error;
    }
    reading.onObserved(now);
  }
  return now;
}

async function readPart(
  part: ObservedPart,
  desired: Desired,
  known: ObservedCache,
  reading: Reading,
): Promise<ObservedCache> {
  const { api, context } = reading;
  const { observed } = known;
  const invalidated = new Set([...known.invalidated].filter((other) => other !== part));
  if (part === 'load-balancer')
    return withLoadBalancer(known, await findLoadBalancer(desired, observed.loadBalancer?.id, reading));
  const id = observed.loadBalancer?.id;
  if (id === undefined) return { observed: NOTHING_THERE, invalidated: new Set() };
  if (part === 'listeners')
    return { observed: { ...observed, listeners: await api.listListeners(id, context) }, invalidated };
  if (part === 'groups') return listed(await api.listServerGroups(id, context), desired, { observed, invalidated });
  if (isDomains(part)) {
    const port = portOf(part);
    return { observed: withDomains(observed, port, await api.listDomainExtensions(id, port, context)), invalidated };
  }
  const group = findGroup(observed, part.slice('group:'.length));
  if (group === undefined) return { observed, invalidated };
  const read = await readGroup(group.id, api, context);
  const groups = observed.groups.flatMap((other) => (other === group ? (read ?? []) : [other]));
  return { observed: { ...observed, groups }, invalidated };
}

/** Returns the state after the load balancer was read or proven absent. Drops the parts of another load balancer. */
export function withLoadBalancer(
  { observed, invalidated }: ObservedCache,
  loadBalancer: LoadBalancer | undefined,
): ObservedCache {
  if (loadBalancer === undefined) return { observed: NOTHING_THERE, invalidated: new Set() };
  const isAnother = observed.loadBalancer !== undefined && observed.loadBalancer.id !== loadBalancer.id;
  return isAnother
    ? { observed: { ...NOTHING_THERE, loadBalancer }, invalidated: new Set(['listeners', 'groups']) }
    : {
        observed: { ...observed, loadBalancer },
        invalidated: new Set([...invalidated].filter((part) => part !== 'load-balancer')),
      };
}

/** Returns the state with the listed groups of the Service. Invalidates new groups, because a list contains no backends. */
function listed(
  present: readonly VServerGroup[],
  { owner, use }: Desired,
  { observed, invalidated }: ObservedCache,
): ObservedCache {
  // A user-managed group can contain backends of the Service.
  const isUserManaged = ({ name }: VServerGroup): boolean => use.kind === 'reused' && parseName(name) === undefined;
  const own = present.filter((group) => isOwnName(owner, group.name) || isUserManaged(group));
  const before = new Map(observed.groups.map((group) => [group.id, group]));
  const groups = own.map((group): VServerGroupWithBackends => before.get(group.id) ?? { ...group, backends: [] });
  const fresh = own.filter(({ id }) => !before.has(id)).map(({ id }): ObservedPart => `group:${id}`);
  const groupOfOtherNamespace = present.find(({ name }) => isNameOfOtherNamespace(owner, name))?.name;
  return {
    observed: { ...observed, groups, groupOfOtherNamespace },
    invalidated: new Set([...invalidated, ...fresh]),
  };
}

async function findLoadBalancer(
  { owner, use }: Desired,
  knownId: LoadBalancerId | undefined,
  { hints, api, context }: Reading,
): Promise<LoadBalancer | undefined> {
  if (use.kind === 'reused') return api.read(use.id, context);
  const { recordedId, published, hasDuplicate = false } = hints;
  const id = knownId ?? recordedId;
  const recorded = id === undefined ? undefined : await api.read(id, context);
  const believed = recorded !== undefined && isOwnLoadBalancer(owner, recorded, { published }) ? [recorded] : [];
  if (believed.length > 0 && !hasDuplicate) return recorded;
  const name = defaultLoadBalancerName(owner.uid);
  const withTag = await api.findByTag(OWNER_TAG, name, context);
  const others = withTag.filter((other) => believed.every((each) => each.id !== other.id));
  const tagged = requireSingle([...believed, ...others], name);
  if (tagged !== undefined) return tagged;
  // The binding is weaker evidence than a tag, so the search by tag comes first.
  if (recorded !== undefined && isOwnLoadBalancer(owner, recorded, hints)) return recorded;
  const named = published.length === 0 ? [] : await api.findByName(name, context);
  const own = named.filter((candidate) => isOwnLoadBalancer(owner, candidate, hints));
  return requireSingle(own, name);
}

/** Returns the only load balancer. Throws `Rejected` if several have the owner tag or the default name. */
function requireSingle(found: readonly LoadBalancer[], name: string): LoadBalancer | undefined {
  if (found.length <= 1) return found[0];
  const ids = found.map(({ id }) => id).sort();
  const isTagged = found.every(({ tags }) => tags[OWNER_TAG] !== undefined);
  const [mark, remedy] = isTagged
    ? [`tag ${OWNER_TAG}`, 'remove the tag from the rest']
    : [`tag ${OWNER_TAG} or the name ${name}`, 'remove the tag from the rest and rename them'];
  throw new PortcullisError(
    'Rejected',
    `load balancers ${ids.join(', ')} all have the ${mark} of this Service; keep one load balancer: delete the rest, or ${remedy}`,
  );
}

/** Reads a group with its backends; returns undefined if the group was deleted after the list call. */
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
