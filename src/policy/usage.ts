import { parseAnnotations, type Parsed } from '../annotation/parse.ts';
import { isServedHere } from '../inventory/reuse.ts';
import { keyOf, type Service } from '../objects.ts';
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

/** What one Service has, or would have once it is carried out. */
export function usageOf({ object, parsed }: ServiceView): Usage {
  if (!isServedHere(object, parsed)) return NO_USAGE;
  const { id, addressType, chargeType, bandwidth = 0, forceOverrideListeners } = parsed.options;
  const ports = object.spec?.ports?.length ?? 0;
  if (id !== undefined) return { ...NO_USAGE, listeners: forceOverrideListeners === true ? ports : 0 };
  const isPublic = addressType !== 'intranet';
  return {
    loadBalancers: 1,
    publicLoadBalancers: isPublic ? 1 : 0,
    listeners: ports,
    bandwidth: isPublic && chargeType === 'paybybandwidth' ? bandwidth : 0,
  };
}

const parsedOf = ({ metadata }: Service): Parsed => parseAnnotations(metadata.annotations);
const ofStored = (service: Service | undefined): Usage =>
  service === undefined ? NO_USAGE : usageOf({ object: service, parsed: parsedOf(service) });

/** What the Services of each namespace have, kept up to date by a cache; worked out when it is asked for first. */
export class UsageByNamespace {
  readonly #services: Watched<Service>;
  readonly #onChange: (namespace: string, change: Usage) => void;
  #totals: Map<string, Usage> | undefined;

  /** Tells of every change, once somebody has asked. */
  constructor(services: Watched<Service>, onChange: (namespace: string, change: Usage) => void = () => undefined) {
    this.#services = services;
    this.#onChange = onChange;
    services.onChange(({ before, after }) => {
      const namespace = (after ?? before)?.metadata.namespace;
      if (this.#totals !== undefined && namespace !== undefined) {
        this.#add(namespace, added(ofStored(after), ofStored(before), -1));
      }
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
    return ofStored(this.#services.get(keyOf(service)));
  }

  #known(): Map<string, Usage> {
    if (this.#totals !== undefined) return this.#totals;
    const totals = new Map<string, Usage>();
    for (const service of this.#services.values()) {
      const { namespace } = service.metadata;
      totals.set(namespace, added(totals.get(namespace) ?? NO_USAGE, ofStored(service)));
    }
    this.#totals = totals;
    return totals;
  }

  #add(namespace: string, change: Usage): void {
    if (DIMENSIONS.every((dimension) => change[dimension] === 0)) return;
    const totals = this.#known();
    const total = added(totals.get(namespace) ?? NO_USAGE, change);
    if (DIMENSIONS.every((dimension) => total[dimension] === 0)) totals.delete(namespace);
    else totals.set(namespace, total);
    this.#onChange(namespace, change);
  }
}
