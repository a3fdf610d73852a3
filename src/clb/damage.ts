import { hasReason } from '../errors.ts';
import { failedWith, isRemoval, subjectsOf, type Action } from './action.ts';
import { effectOf } from './effect.ts';
import { findGroup, type Observed } from './state.ts';

/** Refusals that say something of the backends to be added, and of nothing else. */
const isAboutBackends = (error: unknown): boolean =>
  hasReason(error, 'InvalidBackend') || hasReason(error, 'QuotaExceeded');

/** What has gone wrong so far, and what of the rest of the plan must not be done because of it. */
export class Damage {
  readonly failures: unknown[] = [];
  /** What refused actions were about. */
  readonly #broken = new Set<string>();
  /** Groups that lack backends which the cloud would not take. */
  readonly #short = new Set<string>();
  #isConfined = true;
  /** Whether something is left to the next plan, which then decides what can go. */
  #isPostponed = false;

  refused(action: Action, error: unknown): void {
    this.failures.push(error);
    if (action.kind === 'add-backends' && isAboutBackends(error)) this.#short.add(action.group);
    else {
      this.#isConfined = false;
      this.skipped(action);
    }
  }

  postponed(action: Action): void {
    this.#isPostponed = true;
    this.skipped(action);
  }

  skipped(action: Action): void {
    for (const subject of failedWith(action)) this.#broken.add(subject);
  }

  /** Whether an action depends on what was refused, or would have traffic go to a group with nothing in it. */
  breaks(action: Action, now: Observed): boolean {
    const empty = action.kind === 'add-backends' ? [] : this.#empty(now).map((group) => `group ${group}`);
    return subjectsOf(action).some((subject) => this.#broken.has(subject) || empty.includes(subject));
  }

  /** Whether an action takes away while it is not certain that something is left. */
  forbids(action: Action, now: Observed): boolean {
    if (!isRemoval(action)) return false;
    if (this.#isPostponed) return true;
    if (this.failures.length === 0) return false;
    return !this.#isConfined || this.#empty(now).length > 0 || this.#empties(action, now);
  }

  #empty(now: Observed): readonly string[] {
    return [...this.#short].filter((group) => (findGroup(now, group)?.backends ?? []).length === 0);
  }

  #empties(action: Action, now: Observed): boolean {
    if (action.kind !== 'remove-backends' || !this.#short.has(action.group)) return false;
    const left = effectOf(now, action, undefined);
    return findGroup(left, action.group)?.backends.length === 0;
  }
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
export const waitsForRoom = (action: Action, error: unknown, rest: readonly Action[]): boolean =>
  action.kind === 'add-backends' &&
  hasReason(error, 'QuotaExceeded') &&
  rest.some(
    (other) =>
      other.kind === 'delete-server-group' || (other.kind === 'remove-backends' && other.group === action.group),
  );
