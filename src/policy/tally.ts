import { keyOf, type ObjectKey, type Service } from '../objects.ts';
import type { Watched } from '../store.ts';
import type { Quota } from './compile.ts';
import type { Look } from './condition.ts';
import type { PolicyFault, Request } from './policy.ts';
import type { PolicySet } from './policy-set.ts';
import { hasRoom, overQuota } from './quota.ts';
import { added, NO_USAGE, storedUsage, UsageByNamespace, usageOf, type AddressTypes, type Usage } from './usage.ts';

const NONE: readonly PolicyFault[] = [];

/** The Services that are in the sums, and those of which is known what they ask for: whoever asks for less is refused nothing. */
export interface Counted {
  readonly stored: Pick<Watched<Service>, 'get'>;
  readonly counted: Watched<Service>;
}

/** What some Services have of what the quotas of policies count. */
export class Tally {
  readonly #stored: Counted['stored'];
  readonly #addressTypeOf: AddressTypes;
  readonly #usage: UsageByNamespace;
  readonly #setFor: (namespace: string) => PolicySet;
  /** Over a whole policy; worked out when it is asked for. */
  readonly #shared = new Map<Quota, Usage>();

  /** `setFor` answers the policies about a namespace. */
  constructor({ stored, counted }: Counted, addressTypeOf: AddressTypes, setFor: (namespace: string) => PolicySet) {
    this.#stored = stored;
    this.#addressTypeOf = addressTypeOf;
    this.#setFor = setFor;
    this.#usage = new UsageByNamespace(counted, addressTypeOf, (namespace, change) => this.#changed(namespace, change));
  }

  /** What there is of what a quota counts, where it counts for that namespace. */
  usageFor(quota: Quota, namespace: string): Usage {
    return quota.per === 'namespace' ? this.#usage.of(namespace) : this.#over(quota);
  }

  /** What a Service would take beyond quotas. Nothing as long as not all Services are known. */
  overQuota(set: PolicySet, { view, facts }: Pick<Look, 'view' | 'facts'>, request: Request): readonly PolicyFault[] {
    const { namespace, operation, has } = request;
    const usage = this.#usage;
    if (!usage.isKnown()) return NONE;
    const wanted = usageOf(view, facts.madeFor(view.object)?.addressType);
    if (hasRoom(set, usage.of(namespace), wanted)) return NONE;
    const counted = usage.ofStored(view.object);
    const growth = { own: has ?? this.#askedBy(keyOf(view.object)), counted, wanted, operation };
    return overQuota(
      set,
      growth,
      () => usage.of(namespace),
      (quota) => this.#over(quota),
    );
  }

  /** To be told where the load balancer of a Service turns out to be. */
  seen(service: ObjectKey): void {
    this.#usage.seen(service);
  }

  /** To be told when other policies are about other namespaces. */
  forget(): void {
    this.#shared.clear();
  }

  #askedBy(key: ObjectKey): Usage {
    const service = this.#stored.get(key);
    return service === undefined ? NO_USAGE : storedUsage(service, this.#addressTypeOf(key));
  }

  #changed(namespace: string, change: Usage): void {
    if (this.#shared.size === 0) return;
    const { quotas } = this.#setFor(namespace);
    for (const [quota, total] of this.#shared) {
      if (quotas.includes(quota)) this.#shared.set(quota, added(total, change));
    }
  }

  #over(quota: Quota): Usage {
    const known = this.#shared.get(quota);
    if (known !== undefined) return known;
    let total = NO_USAGE;
    for (const [namespace, of] of this.#usage.entries()) {
      if (this.#setFor(namespace).quotas.includes(quota)) total = added(total, of);
    }
    this.#shared.set(quota, total);
    return total;
  }
}
