import { hasReason, traitsOf } from '../../base/errors.ts';
import { failedWith, isRemoval, subjectsOf, type Action } from '../model/action.ts';
import { blockedPorts, portOf } from '../diff/blocked-ports.ts';
import { observedAfter } from '../model/observed-after-action.ts';
import type { VServerGroupId } from '../model/ids.ts';
import { forwardsTo } from '../model/listener.ts';
import { findGroup, listenerKey, listenersUsing, type Observed } from '../model/desired-and-observed-state.ts';
import { isSuccessorNotServing } from '../diff/successor-group-check.ts';

/** Returns whether an error concerns only the backends of an addition. */
const isAboutBackends = (error: unknown): boolean => traitsOf(error).stops === 'backends';

/** The failures of a plan so far, which decide the actions that `apply` skips. */
export class FailureTracker {
  readonly failures: unknown[] = [];
  /** Subjects of failed and skipped actions; see `subjectsOf`. */
  readonly #broken = new Set<string>();
  /** Additions that the cloud rejected. */
  readonly #rejectedAdditions: Extract<Action, { readonly kind: 'add-backends' | 'create-server-group' }>[] = [];
  /**
   * Groups whose backends stay, because a listener could not switch to another group, or because the cloud rejected new backends for lack of quota.
   */
  readonly #kept = new Set<VServerGroupId>();
  /** Ports of listeners for which an additional domain could not be created. */
  readonly #portsLackingDomains = new Set<number>();
  /** Whether removals wait for the next plan, because the observed state may be wrong. */
  #isPostponed = false;

  failed(action: Action, error: unknown, now: Observed): void {
    this.failures.push(error);
    // A resource that the plan removes may belong to another Service by now.
    if (traitsOf(error).stops === 'removals') this.#isPostponed = true;
    if (action.kind === 'add-backends' || action.kind === 'create-server-group') this.#rejectedAdditions.push(action);
    if ('domain' in action) this.#portsLackingDomains.add(action.listener.port);
    if (action.kind === 'add-backends' && hasReason(error, 'QuotaExceeded'))
      this.#keep(findGroup(now, action.group)?.id);
    if (action.kind !== 'add-backends' || !isAboutBackends(error)) this.skipped(action, now);
  }

  skipped(action: Action, now: Observed): void {
    for (const subject of failedWith(action)) this.#broken.add(subject);
    this.#keep(releasedGroup(action, now));
  }

  /** Returns whether an action depends on a failed action, sends traffic to an empty group, or deletes a needed listener. */
  mustSkip(action: Action, now: Observed, rest: readonly Action[] = []): boolean {
    if (action.kind === 'delete-listener' && this.#stays(action, now, rest)) return true;
    const empty = action.kind === 'add-backends' ? [] : this.#empty(now).map((group) => `group ${group}`);
    return subjectsOf(action).some((subject) => this.#broken.has(subject) || empty.includes(subject));
  }

  /** Returns whether an action removes a resource that is still needed because its replacement failed. */
  forbids(action: Action, now: Observed): boolean {
    if (!isRemoval(action)) return false;
    if (this.#isPostponed) return true;
    if (this.failures.length === 0) return false;
    switch (action.kind) {
      case 'remove-backends':
        return (
          this.#isKept(action.group, now) ||
          this.#empties(action, now) ||
          isSuccessorNotServing(action, this.#rejectedAdditions, now)
        );
      case 'delete-server-group':
        return listenersUsing(now, action.group).length > 0;
      case 'delete-domain-extension':
        return this.#portsLackingDomains.has(action.listener.port);
      default:
        // A deleted listener affects only its port. Other removals, such as of the owner tag, must wait until all earlier actions succeed.
        return action.kind !== 'delete-listener';
    }
  }

  #keep(id: VServerGroupId | undefined): void {
    if (id !== undefined) this.#kept.add(id);
  }

  #isKept(group: string, now: Observed): boolean {
    const id = findGroup(now, group)?.id;
    return id !== undefined && this.#kept.has(id);
  }

  /** Returns whether a listener must stay: another listener still forwards to the listener, or its replacement cannot be created. */
  #stays(
    action: Extract<Action, { readonly kind: 'delete-listener' }>,
    now: Observed,
    rest: readonly Action[],
  ): boolean {
    if (this.failures.length === 0) return false;
    const blocks = (other: Action): true | undefined =>
      other.kind === 'create-listener' && this.mustSkip(other, now) ? true : undefined;
    const blocked = blockedPorts({ actions: [action, ...rest], blocked: [] }, blocks, now);
    return (
      blocked.has(portOf(action.listener)) || now.listeners.some((listener) => forwardsTo(listener, action.listener))
    );
  }

  #empty(now: Observed): readonly string[] {
    return this.#rejectedAdditions
      .map(({ group }) => group)
      .filter((group) => (findGroup(now, group)?.backends ?? []).length === 0);
  }

  /** Returns whether the removal would empty its group although the cloud rejected backends of this group or of an empty group. */
  #empties(action: Extract<Action, { readonly kind: 'remove-backends' }>, now: Observed): boolean {
    if (!this.#rejectedAdditions.some(({ group }) => group === action.group) && this.#empty(now).length === 0)
      return false;
    const left = observedAfter(now, action, undefined);
    return findGroup(left, action.group)?.backends.length === 0;
  }
}

/** Returns the group that a listener no longer uses after an action. */
function releasedGroup(action: Action, now: Observed): VServerGroupId | undefined {
  const isGroupReleased =
    action.kind === 'delete-listener' || (action.kind === 'update-listener' && action.group !== undefined);
  if (!isGroupReleased) return undefined;
  return now.listeners.find((listener) => listenerKey(listener) === listenerKey(action.listener))?.groupId;
}

/** Returns smaller actions for an action with rejected backends, so that an invalid backend does not block the other backends. */
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
