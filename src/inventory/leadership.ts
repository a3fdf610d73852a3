import type { LoadBalancerBinding } from './binding.ts';
import { INVENTORY_KEY } from './cached-facts.ts';
import type { CloudInventory, CloudInventoryStatus } from './resource.ts';
import { objectKey } from '../base/objects.ts';
import type { Store } from '../base/store.ts';

export interface LeadershipParts {
  /** The transitions of this process's Lease. Undefined if transitions are neither compared nor recorded. */
  readonly leaseTransitions: number | undefined;
  readonly cloudInventories: Pick<Store<CloudInventory>, 'get'>;
  readonly bindings: Pick<Store<LoadBalancerBinding>, 'get' | 'values'>;
}

/**
 * Returns whether another controller may have led since the recorded lead. The next lead has one transition more. A lower count comes from a
 * recreated Lease.
 */
const isInterrupted = (recorded: number | undefined, own: number | undefined): boolean =>
  recorded !== undefined && own !== undefined && own !== recorded && own !== recorded + 1;

/** The bindings that are outdated at the start of a lead, because another controller has led in between. */
export class Leadership {
  readonly #transitions: number | undefined;
  readonly #bindings: LeadershipParts['bindings'];
  readonly #inventories: LeadershipParts['cloudInventories'];
  /** The UIDs of Services. */
  readonly #outdated: Set<string>;

  constructor({ leaseTransitions, cloudInventories, bindings }: LeadershipParts) {
    const recorded = cloudInventories.get(INVENTORY_KEY)?.status?.leaseTransitions;
    const outdated = isInterrupted(recorded, leaseTransitions) ? [...bindings.values()] : [];
    this.#transitions = leaseTransitions;
    this.#bindings = bindings;
    this.#inventories = cloudInventories;
    const live = outdated.filter(({ spec }) => spec.orphaned !== true);
    this.#outdated = new Set(live.map(({ metadata }) => metadata.name));
  }

  /** Returns whether the binding of a Service proves nothing, because the Service was not read since the start of the lead. */
  isOutdated(uid: string): boolean {
    return this.#outdated.has(uid);
  }

  /** Notes that a Service was read, or that its binding needs no reading. */
  confirm(uid: string): void {
    this.#outdated.delete(uid);
  }

  /**
   * Returns the transitions to record before the first pass over the region, if an earlier lead is recorded. Thus a short lead of this controller
   * does not count as the lead of another controller.
   */
  toRecordAtStart(): Pick<CloudInventoryStatus, 'leaseTransitions'> {
    const recorded = this.#inventories.get(INVENTORY_KEY)?.status?.leaseTransitions;
    return recorded === undefined || recorded === this.#transitions ? {} : this.toRecord();
  }

  /** Returns the transitions to record. Empty while a binding is outdated, because the next process must see the gap too. */
  toRecord(): Pick<CloudInventoryStatus, 'leaseTransitions'> {
    for (const uid of this.#outdated) if (this.#bindings.get(objectKey(uid)) === undefined) this.confirm(uid);
    return this.#transitions === undefined || this.#outdated.size > 0 ? {} : { leaseTransitions: this.#transitions };
  }
}
