import { keyOf, type ObjectKey, type Service } from '../objects.ts';
import type { Change, Watched } from '../store.ts';
import { readMarks } from './marks.ts';
import { publishedIngress } from './status.ts';

/** Whether there is a load balancer behind a Service, or was begun. */
const isServed = (service: Service): boolean => {
  const { hasFinalizer, digest, loadBalancerId } = readMarks(service);
  return hasFinalizer || digest !== undefined || loadBalancerId !== undefined || publishedIngress(service).length > 0;
};

/**
 * The Services that have load balancers, and those that were let have one and do not show it yet: what quotas count. Of two that are
 * stored at the same time, where there is room for one, the one that comes to its turn first is served.
 */
export class ServedServices implements Watched<Service> {
  readonly #services: Watched<Service>;
  readonly #served = new Map<ObjectKey, Service>();
  readonly #admitted = new Set<ObjectKey>();
  readonly #handlers: ((change: Change<Service>) => void)[] = [];

  constructor(services: Watched<Service>) {
    this.#services = services;
    for (const service of services.values()) this.#look(keyOf(service), service);
    services.onChange(({ before, after }) => {
      const object = after ?? before;
      if (object === undefined) return;
      const key = keyOf(object);
      if (after === undefined || before?.metadata.uid !== after.metadata.uid) this.#admitted.delete(key);
      this.#look(key, after);
    });
  }

  /** Counts a Service from now on. */
  admit(key: ObjectKey): void {
    this.#admitted.add(key);
    this.#look(key, this.#services.get(key));
  }

  get size(): number {
    return this.#served.size;
  }

  get(key: ObjectKey): Service | undefined {
    return this.#served.get(key);
  }

  values(): Iterable<Service> {
    return this.#served.values();
  }

  byIndex(index: string, value: string): readonly Service[] {
    return this.#services.byIndex(index, value).filter((service) => this.#served.has(keyOf(service)));
  }

  hasSynced(): boolean {
    return this.#services.hasSynced();
  }

  onChange(handler: (change: Change<Service>) => void): void {
    this.#handlers.push(handler);
  }

  #look(key: ObjectKey, service: Service | undefined): void {
    const before = this.#served.get(key);
    const after = service !== undefined && (this.#admitted.has(key) || isServed(service)) ? service : undefined;
    if (before === after) return;
    if (after === undefined) this.#served.delete(key);
    else this.#served.set(key, after);
    const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    for (const handler of this.#handlers) handler(change);
  }
}
