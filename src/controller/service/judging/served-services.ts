import { parseAnnotations } from '../../../annotation/parse.ts';
import type { AddressType } from '../../../inventory/resource.ts';
import { isServedHere } from '../../../inventory/reuse.ts';
import { keyOf, type ObjectKey, type Service } from '../../../objects.ts';
import type { Change, Watched } from '../../../store.ts';
import { hasBeenServed, readMarks } from '../marks.ts';

/** Whether a Service says that there is a load balancer behind it, or was begun: good enough to count it until it is known. */
const isServed = (service: Service): boolean => readMarks(service).hasFinalizer || hasBeenServed(service);

/**
 * The Services that have load balancers, and those that were let have one and do not show it yet, each as it was last let pass: what quotas
 * count. Of two that ask for more at the same time, where there is room for one, the one that comes to its turn first gets it.
 */
export class ServedServices implements Watched<Service> {
  readonly #services: Watched<Service>;
  readonly #served = new Map<ObjectKey, Service>();
  /** Whether it was let pass, since it was looked at. */
  readonly #verdicts = new Map<ObjectKey, boolean>();
  /** Of the load balancers that were seen to be theirs. */
  readonly #addressTypes = new Map<ObjectKey, AddressType>();
  readonly #handlers: ((change: Change<Service>) => void)[] = [];

  constructor(services: Watched<Service>) {
    this.#services = services;
    for (const service of services.values()) this.#look(keyOf(service), service);
    services.onChange(({ before, after }) => {
      const object = after ?? before;
      if (object === undefined) return;
      const key = keyOf(object);
      if (after === undefined || before?.metadata.uid !== after.metadata.uid) {
        this.#verdicts.delete(key);
        this.#addressTypes.delete(key);
      }
      this.#look(key, after);
    });
  }

  /** Counts a Service from now on, as it is stored. */
  admit(key: ObjectKey): void {
    this.#verdicts.set(key, true);
    this.#count(key, this.#services.get(key));
  }

  /** Does not count a Service that has nothing and gets nothing, whatever it says of itself. */
  refuse(key: ObjectKey): void {
    this.#verdicts.set(key, false);
    this.#count(key, undefined);
  }

  /** Remembers what a Service's own load balancer was seen to be; absent where there is none. */
  see(key: ObjectKey, addressType: AddressType | undefined): void {
    if (this.#addressTypes.get(key) === addressType) return;
    if (addressType === undefined) this.#addressTypes.delete(key);
    else this.#addressTypes.set(key, addressType);
    const service = this.#served.get(key);
    if (service !== undefined) this.#tell({ before: service, after: service });
  }

  /** Whether a Service's own load balancer is on the internet; absent where it was not seen. */
  addressType(key: ObjectKey): AddressType | undefined {
    return this.#addressTypes.get(key);
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

  onSynced(handler: () => void): void {
    this.#services.onSynced(handler);
  }

  onChange(handler: (change: Change<Service>) => void): void {
    this.#handlers.push(handler);
  }

  /** What one that is counted asks for beside is counted once it is let pass. */
  #look(key: ObjectKey, service: Service | undefined): void {
    const isCounted = service !== undefined && this.#isCounted(key, service);
    if (!isCounted && this.#verdicts.get(key) === true) this.#verdicts.delete(key);
    const before = this.#served.get(key);
    const isSame = before?.metadata.uid === service?.metadata.uid;
    this.#count(key, isCounted ? (isSame ? before : service) : undefined);
  }

  #isCounted(key: ObjectKey, service: Service): boolean {
    const verdict = this.#verdicts.get(key);
    if (verdict === undefined) return isServed(service);
    return verdict && (isServed(service) || isServedHere(service, parseAnnotations(service.metadata.annotations)));
  }

  #count(key: ObjectKey, after: Service | undefined): void {
    const before = this.#served.get(key);
    if (before === after) return;
    if (after === undefined) this.#served.delete(key);
    else this.#served.set(key, after);
    this.#tell({ ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
  }

  #tell(change: Change<Service>): void {
    for (const handler of this.#handlers) handler(change);
  }
}
