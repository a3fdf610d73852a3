import { matchBy, type Match } from '../../plan/match.ts';
import type { Plan, BlockedAction } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import { changedAttributes } from './listener-attributes.ts';
import { diffDomains } from './domain-extensions.ts';
import {
  forwardPortOf,
  forwardsTo,
  shareAPort,
  type DesiredListener,
  type ListenerAttributes,
  type ObservedListener,
} from '../model/listener.ts';
import { fitting } from './listener-quota.ts';
import { isOwnName, parseName, type Owner } from '../model/naming.ts';
import { blockedScheduler, withoutBlockedScheduler } from './scheduler-change.ts';
import {
  findGroup,
  listenerKey,
  managesListeners,
  obsoleteOwnedGroups,
  type Observed,
  type Present,
} from '../model/desired-and-observed-state.ts';

/** Returns whether a listener belongs to the Service by its description, or by its port, protocol and server group. */
export function isOwnListener(
  { owner, use, listeners }: Pick<Present, 'owner' | 'use' | 'listeners'>,
  observed: Observed,
  listener: ObservedListener,
): boolean {
  if (isOwnName(owner, listener.description)) return true;
  if (use.kind === 'reused' || parseName(listener.description) !== undefined) return false;
  const isWanted = listeners.some((wanted) => listenerKey(wanted) === listenerKey(listener));
  return isWanted && observed.groups.some(({ id, name }) => id === listener.groupId && isOwnName(owner, name));
}

const isForwarder = (listener: ListenerAttributes): boolean => forwardPortOf(listener) !== undefined;

const keyOf = ({ port, protocol }: ListenerAttributes): Pick<ListenerAttributes, 'port' | 'protocol'> => ({
  port,
  protocol,
});

/** Returns a new listener with defaults for unset fields. Later syncs do not enforce these defaults. */
function withDefaults(listener: DesiredListener, { defaultScheduler }: Present): DesiredListener {
  switch (listener.protocol) {
    case 'tcp':
    case 'udp':
      return { scheduler: defaultScheduler, bandwidth: -1, ...listener };
    case 'http':
      return { scheduler: defaultScheduler, healthCheck: 'off', stickySession: 'off', ...listener };
    case 'https':
      return { scheduler: defaultScheduler, bandwidth: -1, healthCheck: 'off', stickySession: 'off', ...listener };
  }
}

/** Returns the wanted listener. A listener with `rr` gets the default scheduler `wrr` only after a change; see `Present.isChanged`. */
function withScheduler({ isChanged, defaultScheduler }: Present, wanted: DesiredListener, has: ObservedListener) {
  const isUnweighted = has.scheduler === 'rr' && defaultScheduler === 'wrr' && wanted.scheduler === undefined;
  return isChanged === true && isUnweighted ? { ...wanted, scheduler: defaultScheduler } : wanted;
}

function creation({ domainExtensions, ...listener }: DesiredListener, desired: Present): readonly Action[] {
  const key = keyOf(listener);
  return [
    { kind: 'create-listener', listener: withDefaults(listener, desired) },
    ...diffDomains(key, domainExtensions),
    { kind: 'start-listener', listener: key },
  ];
}

/** Returns whether the forwarding of a listener changes. The listener is then recreated, because the cloud cannot change the forwarding. */
const isRecreated = (wanted: ListenerAttributes, has: ListenerAttributes): boolean =>
  forwardPortOf(wanted) !== forwardPortOf(has);

function update(
  desired: Present,
  wanted: DesiredListener,
  has: ObservedListener,
  observed: Observed,
): readonly Action[] {
  const listener = keyOf(wanted);
  if (isRecreated(wanted, has)) return [{ kind: 'delete-listener', listener }, ...creation(wanted, desired)];
  const start: readonly Action[] = has.status === 'stopped' ? [{ kind: 'start-listener', listener }] : [];
  if (isForwarder(wanted)) return start;
  const changed = changedAttributes({ ...withScheduler(desired, wanted, has) }, { ...has });
  const set = withoutBlockedScheduler(changed, wanted, has);
  const moves = findGroup(observed, wanted.group)?.id !== has.groupId || has.groupId === undefined;
  const domains = diffDomains(listener, wanted.domainExtensions, has.domainExtensions);
  if (Object.keys(set).length === 0 && !moves) return [...start, ...domains];
  return [...start, { kind: 'update-listener', listener, set, ...(moves ? { group: wanted.group } : {}) }, ...domains];
}

/** Returns the owner of a listener as text, without details of Services in other namespaces. */
function holder({ owner }: Present, listener: ObservedListener): string {
  const name = parseName(listener.description);
  if (name === undefined) return 'by a listener that the controller did not create';
  if (name.namespace !== owner.namespace) return 'by another Service';
  const service = `by Service ${name.namespace}/${name.service}`;
  if (name.clusterId === owner.clusterId) return service;
  // With a wrong clusterID in the cloud-config file, all listeners of this cluster look foreign.
  return name.service === owner.name
    ? `${service} of cluster ${name.clusterId}, but the cloud-config file has clusterID ${owner.clusterId}`
    : 'by another Service';
}

const portUnavailable = (desired: Present, wanted: DesiredListener, by: ObservedListener): BlockedAction<Action> => ({
  action: { kind: 'create-listener', listener: wanted },
  rule: 'PortUnavailable',
  reason: `port ${String(by.port)}/${by.protocol} of the load balancer is used ${holder(desired, by)}; choose another port, or free this port`,
});

const byForwarding = (left: ListenerAttributes, right: ListenerAttributes): number =>
  Number(isForwarder(left)) - Number(isForwarder(right));

const deletions = (listeners: readonly ObservedListener[]): readonly Action[] =>
  listeners
    .toSorted((left, right) => byForwarding(right, left))
    .map((listener) => ({ kind: 'delete-listener', listener: keyOf(listener) }));

/**
 * Returns only deletions of listeners that the Service created while `force-override-listeners` was set, because users manage all other listeners.
 */
function removeObsoleteListeners(desired: Present, observed: Observed): Plan<Action> {
  const obsoleteIds = new Set<string | undefined>(obsoleteOwnedGroups(desired, observed).map(({ id }) => id));
  const obsoleteListeners = observed.listeners.filter(
    (listener) =>
      isOwnName(desired.owner, listener.description) &&
      obsoleteIds.has(listener.groupId) &&
      !desired.listeners.some((wanted) => shareAPort(listener, wanted)),
  );
  return { actions: deletions(obsoleteListeners), blocked: [] };
}

/** Returns the plan for the Service's listeners. The plan never changes or deletes listeners of other owners. */
export function diffListeners(desired: Present, observed: Observed): Plan<Action> {
  if (!managesListeners(desired.use)) return removeObsoleteListeners(desired, observed);
  const own = observed.listeners.filter((listener) => isOwnListener(desired, observed, listener));
  const foreign = observed.listeners.filter((listener) => !own.includes(listener));
  const holderOfPort = (wanted: DesiredListener) => foreign.find((listener) => shareAPort(listener, wanted));
  const free = desired.listeners.filter((wanted) => holderOfPort(wanted) === undefined);
  const blocked = desired.listeners.flatMap((wanted) => {
    const by = holderOfPort(wanted);
    return by === undefined ? [] : [portUnavailable(desired, wanted, by)];
  });
  const match = matchBy(free, own, { desired: listenerKey, observed: listenerKey });
  const fits = fitting(match.create, desired, observed.listeners, match.remove);
  const blockedSchedulers = match.keep.flatMap((pair) =>
    isRecreated(pair.desired, pair.observed) ? [] : blockedScheduler(pair.desired, pair.observed),
  );
  const actions = inOrder({ ...match, create: fits.create }, fits.lacking, desired, observed);
  return { actions, blocked: [...blocked, ...fits.blocked, ...blockedSchedulers] };
}

/** Returns the actions in order. Each creation follows the deletions on its port, so that the port is closed only briefly. */
function inOrder(
  { create, keep, remove }: Match<DesiredListener, ObservedListener>,
  lacking: number,
  desired: Present,
  observed: Observed,
): readonly Action[] {
  const displaced = remove.filter((listener) => create.some((wanted) => shareAPort(listener, wanted)));
  const updates = keep.map((pair) => ({
    has: pair.observed,
    actions: update(desired, pair.desired, pair.observed, observed),
  }));
  const deleted = [...remove, ...updates.filter(({ actions }) => isRecreation(actions)).map(({ has }) => has)];
  const forQuota = remove.filter((listener) => !displaced.includes(listener)).slice(0, lacking);
  const early = [...displaced, ...forQuota];
  // A listener that forwards is deleted before its target.
  const inTheWay = deleted.filter((listener) => early.some((target) => forwardsTo(listener, target)));
  const created = create
    .toSorted(byForwarding)
    .flatMap((wanted) => [
      ...deletions(displaced.filter((listener) => shareAPort(listener, wanted) && !inTheWay.includes(listener))),
      ...creation(wanted, desired),
    ]);
  const updated = updates.flatMap(({ has, actions }) => (inTheWay.includes(has) ? actions.slice(1) : actions));
  const first = new Set([...inTheWay, ...forQuota]);
  const last = remove.filter((listener) => !displaced.includes(listener) && !first.has(listener));
  return [...deletions([...first]), ...created, ...updated, ...deletions(last)];
}

const isRecreation = ([first]: readonly Action[]): boolean => first?.kind === 'delete-listener';

/**
 * Returns the deletions of the Service's listeners from a load balancer that stays. Includes listeners that were created while
 * `force-override-listeners` was set.
 */
export const removeListeners = (owner: Owner, observed: Observed): readonly Action[] =>
  deletions(observed.listeners.filter(({ description }) => isOwnName(owner, description)));
