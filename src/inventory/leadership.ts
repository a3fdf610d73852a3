import type { LoadBalancerBinding } from './binding.ts';
import { INVENTORY_KEY } from './cached-facts.ts';
import type { CloudInventory, CloudInventoryStatus } from './resource.ts';
import { objectKey } from '../base/objects.ts';
import type { Store } from '../base/store.ts';

export interface LeadershipParts {
  /** How often the Lease of this process has changed hands; absent if nothing is compared or recorded. */
  readonly leaseTransitions: number | undefined;
  readonly cloudInventories: Pick<Store<CloudInventory>, 'get'>;
  readonly bindings: Pick<Store<LoadBalancerBinding>, 'get' | 'values'>;
}

/**
 * Returns whether another controller may have led since the recorded lead. The next lead counts one more, and a lower count is of a Lease that was
 * created again.
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

  /** Returns whether the binding of a Service proves nothing: the Service was not read since the start of the lead. */
  isOutdated(uid: string): boolean {
    return this.#outdated.has(uid);
  }

  /** Notes that a Service was read, or that its binding needs no reading. */
  confirm(uid: string): void {
    this.#outdated.delete(uid);
  }

  /**
   * Returns what to record before the first pass over the region: the count, if an earlier lead is recorded. A short lead of this controller is not
   * taken for the lead of another.
   */
  toRecordAtStart(): Pick<CloudInventoryStatus, 'leaseTransitions'> {
    const recorded = this.#inventories.get(INVENTORY_KEY)?.status?.leaseTransitions;
    return recorded === undefined || recorded === this.#transitions ? {} : this.toRecord();
  }

  /** Returns what to record. Nothing while a binding is outdated: the next process must see the gap too. */
  toRecord(): Pick<CloudInventoryStatus, 'leaseTransitions'> {
    for (const uid of this.#outdated) if (this.#bindings.get(objectKey(uid)) === undefined) this.confirm(uid);
    return this.#transitions === undefined || this.#outdated.size > 0 ? {} : { leaseTransitions: this.#transitions };
  }
}
