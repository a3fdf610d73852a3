import { hasReason, PortcullisError } from '../errors.ts';
import { ALL_PARTS, type Part } from './effect.ts';
import type { LoadBalancerId, VServerGroupId } from './ids.ts';
import type { LoadBalancer } from './load-balancer.ts';
import { defaultLoadBalancerName, isOwnName, OWNER_TAG } from './naming.ts';
import { isOwnLoadBalancer } from './policy.ts';
import type { CallContext, ClbApi } from './port.ts';
import type { VServerGroup, VServerGroupWithBackends } from './server-group.ts';
import { findGroup, NOTHING_THERE, type Desired, type Observed } from './state.ts';

/** What is believed of the cloud, and which parts of it have to be read before they are relied on. */
export interface Knowledge {
  readonly observed: Observed;
  readonly doubts: ReadonlySet<Part>;
}

export const NOTHING_KNOWN: Knowledge = { observed: NOTHING_THERE, doubts: new Set(ALL_PARTS) };

/** Everything is to be read again; only which load balancer it was is kept, as a place to look first. */
export const forget = ({ observed: { loadBalancer } }: Knowledge): Knowledge => ({
  observed: loadBalancer === undefined ? NOTHING_THERE : { ...NOTHING_THERE, loadBalancer },
  doubts: NOTHING_KNOWN.doubts,
});

/** These parts are to be read again. */
export function doubt(known: Knowledge, parts: readonly Part[]): Knowledge {
  if (ALL_PARTS.every((part) => parts.includes(part))) return forget(known);
  return { observed: known.observed, doubts: new Set([...known.doubts, ...parts]) };
}

/** What helps to find a Service's own load balancer; hints that are proved before they are believed. */
export interface Hints {
  /** The id that was recorded on the Service. */
  readonly recordedId?: LoadBalancerId;
  /** Whether the Service had a load balancer before, so that one without tags is looked for by its name. */
  readonly hadOne: boolean;
}

/** The parts that matter to what is desired: an owned load balancer is deleted without looking at what is in it. */
function relevant({ kind, use }: Desired): readonly Part[] {
  if (kind === 'absent' && use.kind === 'owned') return ['load-balancer'];
  return use.kind === 'reused' && !use.overrideListeners ? ['load-balancer', 'groups'] : ALL_PARTS;
}

/** The parts to read for `desired`, given what is known. None of them means that memory is enough. */
export function partsToRead(desired: Desired, { doubts }: Knowledge): readonly Part[] {
  const wanted = relevant(desired);
  const isRelevant = (part: Part): boolean =>
    part.startsWith('group:') ? wanted.includes('groups') : wanted.includes(part);
  return [...doubts].filter(isRelevant);
}

/**
 * Reads what is in doubt and answers what is known then.
 * Rejects when any read fails: what is missing from a part is never taken for absent.
 */
export async function observe(
  desired: Desired,
  known: Knowledge,
  hints: Hints,
  api: ClbApi,
  context: CallContext,
): Promise<Knowledge> {
  const parts = new Set(partsToRead(desired, known));
  const loadBalancer = parts.has('load-balancer')
    ? await findLoadBalancer(desired, known.observed.loadBalancer?.id, hints, api, context)
    : known.observed.loadBalancer;
  if (loadBalancer === undefined) return { observed: NOTHING_THERE, doubts: new Set() };
  const previous = known.observed.loadBalancer?.id;
  if (previous !== undefined && previous !== loadBalancer.id)
    return observe(desired, isAnother(loadBalancer), hints, api, context);
  const observed = { ...known.observed, loadBalancer };
  const listeners = parts.has('listeners') ? await api.listListeners(loadBalancer.id, context) : observed.listeners;
  const groups = await readGroups(desired, { ...observed, listeners }, parts, api, context);
  return {
    observed: { loadBalancer, listeners, groups },
    doubts: new Set([...known.doubts].filter((part) => !parts.has(part))),
  };
}

/** Nothing that was known of one load balancer holds for another. */
const isAnother = (loadBalancer: LoadBalancer): Knowledge => ({
  observed: { ...NOTHING_THERE, loadBalancer },
  doubts: new Set(ALL_PARTS.filter((part) => part !== 'load-balancer')),
});

async function findLoadBalancer(
  desired: Desired,
  knownId: LoadBalancerId | undefined,
  hints: Hints,
  api: ClbApi,
  context: CallContext,
): Promise<LoadBalancer | undefined> {
  const { owner, use } = desired;
  if (use.kind === 'reused') return api.read(use.id, context);
  const id = knownId ?? hints.recordedId;
  const recorded = id === undefined ? undefined : await api.read(id, context);
  if (recorded !== undefined && isOwnLoadBalancer(owner, recorded)) return recorded;
  const name = defaultLoadBalancerName(owner.uid);
  const tagged = theOne(await api.findByTag(OWNER_TAG, name, context));
  if (tagged !== undefined || !hints.hadOne) return tagged;
  const named = await api.findByName(name, context);
  return theOne(named.filter((candidate) => isOwnLoadBalancer(owner, candidate)));
}

function theOne(found: readonly LoadBalancer[]): LoadBalancer | undefined {
  if (found.length <= 1) return found[0];
  const ids = found.map(({ id }) => id).sort();
  throw new PortcullisError(
    'Rejected',
    `load balancers ${ids.join(', ')} are all marked as this Service's; delete all but one, or take the tag ${OWNER_TAG} from the others`,
  );
}

/** Members are read of groups whose name is ours; those that are known and not in doubt are not read again. */
async function readGroups(
  { owner }: Desired,
  observed: Observed & { readonly loadBalancer: LoadBalancer },
  parts: ReadonlySet<Part>,
  api: ClbApi,
  context: CallContext,
): Promise<readonly VServerGroupWithBackends[]> {
  const inDoubt = new Set(
    [...parts].flatMap((part) =>
      part.startsWith('group:') ? [findGroup(observed, part.slice('group:'.length))?.id] : [],
    ),
  );
  const present: readonly VServerGroup[] = parts.has('groups')
    ? await api.listServerGroups(observed.loadBalancer.id, context)
    : observed.groups;
  const groups: VServerGroupWithBackends[] = [];
  for (const { id, name } of present.filter((group) => isOwnName(owner, group.name))) {
    const known = inDoubt.has(id) ? undefined : observed.groups.find((group) => group.id === id);
    const group = known ?? (await readGroup(id, api, context));
    if (group !== undefined) groups.push({ ...group, name });
  }
  return groups;
}

/** Absent when the group has gone since it was listed. */
async function readGroup(
  id: VServerGroupId,
  api: ClbApi,
  context: CallContext,
): Promise<VServerGroupWithBackends | undefined> {
  try {
    return await api.readServerGroup(id, context);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
