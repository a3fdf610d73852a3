import { hasReason, traitsOf } from '../../base/errors.ts';
import { failedWith, isRemoval, subjectsOf, type Action } from '../model/action.ts';
import { blockedPorts, portOf } from '../diff/blocked-ports.ts';
import { effectOf } from '../model/effect.ts';
import type { VServerGroupId } from '../model/ids.ts';
import { forwardsTo } from '../model/listener.ts';
import { findGroup, listenerKey, type Observed } from '../model/state.ts';
import { isSuccessorNotServing } from '../diff/successor-groups.ts';

/** Whether a failure says something of the backends to be added, and of nothing else. */
const isAboutBackends = (error: unknown): boolean => traitsOf(error).stops === 'backends';

/** What has gone wrong so far, and what of the rest of the plan must not be done because of it. */
export class FailureTracker {
  readonly failures: unknown[] = [];
  /** What failed actions were about. */
  readonly #broken = new Set<string>();
  /** The additions that the cloud would not take. */
  readonly #refused: Extract<Action, { readonly kind: 'add-backends' | 'create-server-group' }>[] = [];
  /** Groups that a listener was to leave and has not left. */
  readonly #kept = new Set<VServerGroupId>();
  /** Ports of listeners that were not given a further domain. */
  readonly #undomained = new Set<number>();
  /** Whether something is left to the next plan, which then decides what can go: what is known may not hold any more, or room is short. */
  #isPostponed = false;

  failed(action: Action, error: unknown, now: Observed): void {
    this.failures.push(error);
    // What is to go may be another's by now.
    if (traitsOf(error).stops === 'removals') this.#isPostponed = true;
    if (action.kind === 'add-backends' || action.kind === 'create-server-group') this.#refused.push(action);
    if ('domain' in action) this.#undomained.add(action.listener.port);
    if (action.kind !== 'add-backends' || !isAboutBackends(error)) this.skipped(action, now);
  }

  postponed(action: Action, now: Observed): void {
    this.#isPostponed = true;
    this.skipped(action, now);
  }

  skipped(action: Action, now: Observed): void {
    for (const subject of failedWith(action)) this.#broken.add(subject);
    const left = failedParts(action, now);
    if (left !== undefined) this.#kept.add(left);
  }

  /** Whether an action depends on what was refused, would have traffic go to a group with nothing in it, or makes room for one that would. */
  breaks(action: Action, now: Observed, rest: readonly Action[] = []): boolean {
    if (action.kind === 'delete-listener' && this.#stays(action, now, rest)) return true;
    const empty = action.kind === 'add-backends' ? [] : this.#empty(now).map((group) => `group ${group}`);
    return subjectsOf(action).some((subject) => this.#broken.has(subject) || empty.includes(subject));
  }

  /** Whether an action takes away what something is still needed for, as what was to take its place was refused. */
  forbids(action: Action, now: Observed): boolean {
    if (!isRemoval(action)) return false;
    if (this.#isPostponed) return true;
    if (this.failures.length === 0) return false;
    switch (action.kind) {
      case 'remove-backends':
        return (
          this.#isKept(action.group, now) ||
          this.#empties(action, now) ||
          isSuccessorNotServing(action, this.#refused, now)
        );
      case 'delete-server-group':
        return now.listeners.some(({ groupId }) => groupId === findGroup(now, action.group)?.id);
      case 'delete-domain-extension':
        return this.#undomained.has(action.listener.port);
      default:
        // Listeners are of one port each. With its tags, or itself, a load balancer would be given up before all else is done.
        return action.kind !== 'delete-listener';
    }
  }

  #isKept(group: string, now: Observed): boolean {
    const id = findGroup(now, group)?.id;
    return id !== undefined && this.#kept.has(id);
  }

  /** Whether another listener still forwards to one that is to go, or what is to take its place would not be made. */
  #stays(
    action: Extract<Action, { readonly kind: 'delete-listener' }>,
    now: Observed,
    rest: readonly Action[],
  ): boolean {
    if (this.failures.length === 0) return false;
    const why = (other: Action): true | undefined =>
      other.kind === 'create-listener' && this.breaks(other, now) ? true : undefined;
    const blocked = blockedPorts({ actions: [action, ...rest], blocked: [] }, why, now);
    return (
      blocked.has(portOf(action.listener)) || now.listeners.some((listener) => forwardsTo(listener, action.listener))
    );
  }

  #empty(now: Observed): readonly string[] {
    return this.#refused
      .map(({ group }) => group)
      .filter((group) => (findGroup(now, group)?.backends ?? []).length === 0);
  }

  /** Whether nothing would be left in a group that lacks backends, or while there is nothing in another that does. */
  #empties(action: Extract<Action, { readonly kind: 'remove-backends' }>, now: Observed): boolean {
    if (!this.#refused.some(({ group }) => group === action.group) && this.#empty(now).length === 0) return false;
    const left = effectOf(now, action, undefined);
    return findGroup(left, action.group)?.backends.length === 0;
  }
}

/** The group that a listener sends to no more once an action is done. */
function failedParts(action: Action, now: Observed): VServerGroupId | undefined {
  const leaves = action.kind === 'delete-listener' || (action.kind === 'update-listener' && action.group !== undefined);
  if (!leaves) return undefined;
  return now.listeners.find((listener) => listenerKey(listener) === listenerKey(action.listener))?.groupId;
}

/** Smaller actions in place of one of whose backends some were refused: so one that cannot be holds up none of the others. */
export function parts(action: Action, error: unknown): readonly Action[] {
  if (!('backends' in action) || action.backends.length === 0) return [];
  const { group, backends } = action;
  if (action.kind === 'create-server-group' && isAboutBackends(error))
    return [
      { ...action, backends: [] },
      { kind: 'add-backends', group, backends },
    ];
  if (action.kind !== 'add-backends' || backends.length === 1 || !hasReason(error, 'InvalidBackend')) return [];
  const half = Math.ceil(backends.length / 2);
  return [backends.slice(0, half), backends.slice(half)].map((some) => ({ ...action, backends: some }));
}

/** Whether what there is no room for finds some once the rest of the plan is made anew. */
export const waitsForQuota = (action: Action, error: unknown, rest: readonly Action[]): boolean =>
  action.kind === 'add-backends' &&
  hasReason(error, 'QuotaExceeded') &&
  rest.some(
    (other) =>
      other.kind === 'delete-server-group' || (other.kind === 'remove-backends' && other.group === action.group),
  );
