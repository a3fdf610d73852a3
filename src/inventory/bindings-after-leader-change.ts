import type { LoadBalancerBinding } from './binding.ts';
import { INVENTORY_KEY } from './facts-from-caches.ts';
import type { CloudInventory, CloudInventoryStatus } from './custom-resources.ts';
import { objectKey } from '../base/kubernetes-objects.ts';
import type { Store } from '../base/cache-interfaces.ts';

export interface LeadershipParts {
  /** The number of times that the Lease changed its holder. Undefined without an election. */
  readonly leaseTransitions: number | undefined;
  readonly cloudInventories: Pick<Store<CloudInventory>, 'get'>;
  readonly bindings: Pick<Store<LoadBalancerBinding>, 'get' | 'values'>;
}

/**
 * Returns whether another controller may have led between the last recorded leader and this leader. Successive Portcullis leaders record consecutive
 * numbers of Lease transitions.
 */
const isInterrupted = (recorded: number | undefined, own: number | undefined): boolean =>
  recorded !== undefined && own !== undefined && own !== recorded && own !== recorded + 1;

/** The detection of an earlier leader that writes no bindings, such as the Alibaba Cloud Controller Manager. */
export class Leadership {
  readonly #transitions: number | undefined;
  readonly #bindings: LeadershipParts['bindings'];
  readonly #inventories: LeadershipParts['cloudInventories'];
  /** The UIDs of the Services with outdated bindings. */
  readonly #outdated: Set<string>;

  constructor({ leaseTransitions, cloudInventories, bindings }: LeadershipParts) {
    const recorded = cloudInventories.get(INVENTORY_KEY)?.status?.leaseTransitions;
    // A leader that writes no bindings may have changed any load balancer.
    const outdated = isInterrupted(recorded, leaseTransitions) ? [...bindings.values()] : [];
    this.#transitions = leaseTransitions;
    this.#bindings = bindings;
    this.#inventories = cloudInventories;
    const live = outdated.filter(({ spec }) => spec.orphaned !== true);
    this.#outdated = new Set(live.map(({ metadata }) => metadata.name));
  }

  /** Returns whether the binding of a Service may be outdated, so that the controller must read the load balancer first. */
  isOutdated(uid: string): boolean {
    return this.#outdated.has(uid);
  }

  /** Marks the binding of a Service as up to date, after the controller has read its load balancer. */
  confirm(uid: string): void {
    this.#outdated.delete(uid);
  }

  /** Returns the status to record before the first inventory. Without this record, the next leader could take this process for another controller. */
  toRecordAtStart(): Pick<CloudInventoryStatus, 'leaseTransitions'> {
    const recorded = this.#inventories.get(INVENTORY_KEY)?.status?.leaseTransitions;
    return recorded === undefined || recorded === this.#transitions ? {} : this.toRecord();
  }

  /**
   * Returns the number of Lease transitions to record. Empty while a binding is outdated, so that the next leader detects the other controller too.
   */
  toRecord(): Pick<CloudInventoryStatus, 'leaseTransitions'> {
    for (const uid of this.#outdated) if (this.#bindings.get(objectKey(uid)) === undefined) this.confirm(uid);
    return this.#transitions === undefined || this.#outdated.size > 0 ? {} : { leaseTransitions: this.#transitions };
  }
}
