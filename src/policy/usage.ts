import { parseAnnotations } from '../annotation/parse.ts';
import type { AddressType } from '../inventory/resource.ts';
import { isServedHere } from '../inventory/reuse.ts';
import { keyOf, type ObjectKey, type Service } from '../objects.ts';
import type { Watched } from '../store.ts';
import type { ServiceView } from './counting-value.ts';
import type { QuotaDimension } from './resource.ts';

/** What Services have of everything that quotas count; bandwidth in Mbit/s. */
export type Usage = Readonly<Record<QuotaDimension, number>>;

export const DIMENSIONS: readonly QuotaDimension[] = ['loadBalancers', 'publicLoadBalancers', 'listeners', 'bandwidth'];

export const NO_USAGE: Usage = { loadBalancers: 0, publicLoadBalancers: 0, listeners: 0, bandwidth: 0 };

/** `left` and `factor` times `right`. */
export const added = (left: Usage, right: Usage, factor = 1): Usage => ({
  loadBalancers: left.loadBalancers + factor * right.loadBalancers,
  publicLoadBalancers: left.publicLoadBalancers + factor * right.publicLoadBalancers,
  listeners: left.listeners + factor * right.listeners,
  bandwidth: left.bandwidth + factor * right.bandwidth,
});

/** Answers whether the load balancer that was made for a Service is on the internet, whatever the Service says of it; absent where that is not known. */
export type AddressTypes = (service: ObjectKey) => AddressType | undefined;

/** What one Service has, or would have once it is carried out; `has` is where its load balancer is, which nothing changes, if it has one. */
export function usageOf({ object, parsed }: ServiceView, has: AddressType | undefined): Usage {
  if (!isServedHere(object, parsed)) return NO_USAGE;
  const { id, addressType = 'internet', chargeType, bandwidth = 0, forceOverrideListeners } = parsed.options;
  const ports = object.spec?.ports?.length ?? 0;
  if (id !== undefined) return { ...NO_USAGE, listeners: forceOverrideListeners === true ? ports : 0 };
  const isPublic = (has ?? addressType) === 'internet';
  return {
    loadBalancers: 1,
    publicLoadBalancers: isPublic ? 1 : 0,
    listeners: ports,
    bandwidth: isPublic && chargeType === 'paybybandwidth' ? bandwidth : 0,
  };
}

/** The same of one as it is stored. */
export const storedUsage = (service: Service, has: AddressType | undefined): Usage =>
  usageOf({ object: service, parsed: parseAnnotations(service.metadata.annotations) }, has);

const isNothing = (usage: Usage): boolean => DIMENSIONS.every((dimension) => usage[dimension] === 0);

/** What the Services of each namespace have, kept up to date by a cache; worked out when it is asked for first. */
export class UsageByNamespace {
  readonly #services: Watched<Service>;
  readonly #addressTypeOf: AddressTypes;
  readonly #onChange: (namespace: string, change: Usage) => void;
  #totals: Map<string, Usage> | undefined;
  /** What each Service is in the totals with: where its load balancer is may turn out, or be forgotten, later. */
  readonly #counted = new Map<ObjectKey, Usage>();

  /** Tells of every change, once somebody has asked. */
  constructor(
    services: Watched<Service>,
    addressTypeOf: AddressTypes,
    onChange: (namespace: string, change: Usage) => void = () => undefined,
  ) {
    this.#services = services;
    this.#addressTypeOf = addressTypeOf;
    this.#onChange = onChange;
    services.onChange(({ before, after }) => {
      const service = after ?? before;
      if (service !== undefined) this.#recount(keyOf(service), service.metadata.namespace);
    });
  }

  /** Whether all Services are known: less than all is no reason to refuse, and none to let pass. */
  isKnown(): boolean {
    return this.#services.hasSynced();
  }

  of(namespace: string): Usage {
    return this.#known().get(namespace) ?? NO_USAGE;
  }

  entries(): Iterable<readonly [namespace: string, usage: Usage]> {
    return this.#known();
  }

  /** What a Service is counted with, as far as it is stored. */
  ofStored(service: Service): Usage {
    this.#known();
    return this.#counted.get(keyOf(service)) ?? NO_USAGE;
  }

  /** To be told where the load balancer of a Service turns out to be. */
  seen(key: ObjectKey): void {
    const service = this.#services.get(key);
    if (service !== undefined) this.#recount(key, service.metadata.namespace);
  }

  #known(): Map<string, Usage> {
    if (this.#totals !== undefined) return this.#totals;
    const totals = new Map<string, Usage>();
    for (const service of this.#services.values()) {
      const { namespace } = service.metadata;
      totals.set(namespace, added(totals.get(namespace) ?? NO_USAGE, this.#count(keyOf(service))));
    }
    this.#totals = totals;
    return totals;
  }

  /** Counts a Service as it is stored. */
  #count(key: ObjectKey): Usage {
    const service = this.#services.get(key);
    const usage = service === undefined ? NO_USAGE : storedUsage(service, this.#addressTypeOf(key));
    if (isNothing(usage)) this.#counted.delete(key);
    else this.#counted.set(key, usage);
    return usage;
  }

  #recount(key: ObjectKey, namespace: string): void {
    if (this.#totals === undefined) return;
    const before = this.#counted.get(key) ?? NO_USAGE;
    const change = added(this.#count(key), before, -1);
    if (isNothing(change)) return;
    const total = added(this.#totals.get(namespace) ?? NO_USAGE, change);
    if (isNothing(total)) this.#totals.delete(namespace);
    else this.#totals.set(namespace, total);
    this.#onChange(namespace, change);
  }
}
