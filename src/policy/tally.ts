import type { Facts, KnownLoadBalancer } from '../inventory/facts.ts';
import { keyOf, type ObjectKey } from '../objects.ts';
import type { Quota } from './compile.ts';
import type { Look } from './condition.ts';
import type { Counted } from './counted.ts';
import type { PolicyFault, Request } from './policy.ts';
import type { PolicySet } from './policy-set.ts';
import { hasRoom, overQuota } from './quota.ts';
import type { QuotaDimension } from './resource.ts';
import { added, DIMENSIONS, NO_USAGE, usageOf, type Usage } from './usage.ts';
import { UsageByNamespace } from './usage-by-namespace.ts';

const NONE: readonly PolicyFault[] = [];

/** The load balancer that a Service asks to be served by, as far as it is known. */
const knownOf = ({ object, parsed }: Look['view'], facts: Facts): KnownLoadBalancer | undefined => {
  const { id } = parsed.options;
  return id === undefined ? facts.madeFor(object) : facts.loadBalancer(id);
};

/** What some Services have of what the quotas of policies count. */
export class Tally {
  readonly #services: Counted;
  readonly #usage: UsageByNamespace;
  readonly #setFor: (namespace: string) => PolicySet;
  /** Over a whole policy; worked out when it is asked for. */
  readonly #shared = new Map<Quota, Usage>();

  /** `setFor` answers the policies about a namespace. */
  constructor(services: Counted, setFor: (namespace: string) => PolicySet) {
    this.#services = services;
    this.#setFor = setFor;
    this.#usage = new UsageByNamespace(services, (namespace, change) => this.#changed(namespace, change));
  }

  /** What there is of what a quota counts, where it counts for that namespace. */
  usageFor(quota: Quota, namespace: string): Usage {
    return quota.per === 'namespace' ? this.#usage.of(namespace) : this.#over(quota);
  }

  /** What a Service would take beyond quotas. Nothing as long as not all Services are known. */
  overQuota(set: PolicySet, { view, facts }: Pick<Look, 'view' | 'facts'>, request: Request): readonly PolicyFault[] {
    const { namespace, operation, has } = request;
    const usage = this.#usage;
    if (set.quotas.length === 0 || !this.#services.isKnown()) return NONE;
    const key = keyOf(view.object);
    const isUnsure = (dimension: QuotaDimension, isConcerned: (other: string) => boolean): boolean =>
      this.#services.isUnsure?.(dimension, key, isConcerned) === true;
    const isHere = (other: string): boolean => other === namespace;
    const wanted = usageOf(view, knownOf(view, facts)?.addressType);
    const isSure = !DIMENSIONS.some((dimension) => isUnsure(dimension, isHere));
    if (isSure && hasRoom(set, usage.of(namespace), wanted)) return NONE;
    const growth = { own: has ?? this.#services.asks(key), counted: usage.ofService(key), wanted, operation };
    return overQuota(set, growth, {
      ofNamespace: () => usage.of(namespace),
      over: (quota) => this.#over(quota),
      isUnsure: (quota, dimension) =>
        isUnsure(dimension, quota.per === 'namespace' ? isHere : (other) => this.#setFor(other).quotas.includes(quota)),
    });
  }

  /** To be told of a Service when something else has become known of it. */
  recount(service: ObjectKey): void {
    this.#usage.recount(service);
  }

  /** To be told when other policies are about other namespaces. */
  forget(): void {
    this.#shared.clear();
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
