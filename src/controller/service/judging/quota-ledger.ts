import { isHeld, isPublished } from '../../../clb/told.ts';
import type { Facts } from '../../../inventory/facts.ts';
import type { LoadBalancerBinding } from '../../../inventory/binding.ts';
import { objectKey, type ObjectKey, type Service } from '../../../objects.ts';
import type { ServiceView } from '../../../policy/counting-value.ts';
import { added, greatest, isNothing, isWithin, NO_USAGE, usageOf, type Usage } from '../../../policy/usage.ts';
import type { CountedUsage, UsageSource } from '../../../policy/usage-source.ts';
import type { Watched } from '../../../store.ts';
import type { BindingSource } from '../state/binding-store.ts';
import { recordIn } from '../state/binding-record.ts';
import { managementOf } from '../management.ts';
import { PendingServices } from './pending-services.ts';

const keyOfService = ({ metadata }: Pick<Service, 'metadata'>): ObjectKey => objectKey(metadata.uid);

const admittedIn = (binding: LoadBalancerBinding): CountedUsage => ({
  namespace: binding.spec.service.namespace,
  usage: binding.spec.admittedUsage ?? NO_USAGE,
});

/**
 * The usage that quotas admitted: what bindings record, and what this process reserves in the reconciles that run. A reserve comes before the
 * write to the binding, and that before the call to the cloud, so that the sum is never too low.
 */
export class QuotaLedger implements UsageSource {
  readonly #bindings: BindingSource;
  readonly #services: Watched<Service>;
  /** By the UID of the Service. */
  readonly #reserved = new Map<ObjectKey, CountedUsage>();
  /** What is in the sums, by the UID of the Service. */
  readonly #counted = new Map<ObjectKey, CountedUsage>();
  /** Services that may have load balancers and have no binding with their usage. */
  readonly #pending = new PendingServices();
  readonly #onChange: ((difference: CountedUsage) => void)[] = [];
  readonly #onFall: ((namespace: string) => void)[] = [];

  constructor(services: Watched<Service>, bindings: BindingSource) {
    this.#services = services;
    this.#bindings = bindings;
    for (const key of bindings.keys()) this.#recount(key);
    for (const service of services.values()) this.#look(service);
    bindings.onChange((key, { spec }) => {
      this.#recount(key);
      const service = services.get(objectKey(spec.service.name, spec.service.namespace));
      if (service !== undefined) this.#look(service);
    });
    services.onChange(({ before, after }) => {
      if (before !== undefined && before.metadata.uid !== after?.metadata.uid)
        this.#pending.delete(keyOfService(before));
      if (after !== undefined) this.#look(after);
    });
    this.#pending.onEnd((namespace) => this.#tellOfFall(namespace));
  }

  isKnown(): boolean {
    return this.#services.hasSynced();
  }

  values(): Iterable<CountedUsage> {
    return this.#counted.values();
  }

  usageOf(service: Service): Usage {
    return this.#counted.get(keyOfService(service))?.usage ?? NO_USAGE;
  }

  requestedBy(view: ServiceView, facts: Facts): Usage {
    const { id } = view.parsed.options;
    const known = id === undefined ? facts.madeFor(view.object) : facts.loadBalancer(id);
    return usageOf(view, known);
  }

  isIncomplete(butFor: Service, isConcerned: (namespace: string) => boolean): boolean {
    return this.#pending.hasOther(keyOfService(butFor), isConcerned);
  }

  /** Reserves usage for a reconcile, beside what is recorded. */
  reserve(service: Service, usage: Usage): void {
    const key = keyOfService(service);
    const { namespace } = service.metadata;
    const recorded = this.#bindings.get(key)?.spec.admittedUsage ?? NO_USAGE;
    this.#reserved.set(key, { namespace, usage: greatest(recorded, usage) });
    this.#recount(key);
  }

  /** Returns what is reserved for a reconcile, to be recorded before a change; undefined if nothing was evaluated. */
  reservedFor(service: Pick<Service, 'metadata'>): Usage | undefined {
    return this.#reserved.get(keyOfService(service))?.usage;
  }

  /** Ends the reserve of a reconcile: what is recorded counts. */
  release(service: Pick<Service, 'metadata'>): void {
    const key = keyOfService(service);
    if (this.#reserved.delete(key)) this.#recount(key);
  }

  onChange(handler: (difference: CountedUsage) => void): void {
    this.#onChange.push(handler);
  }

  /** Calls `handler` with the namespace after usage has fallen, or the last usage of the namespace has become known. */
  onFall(handler: (namespace: string) => void): void {
    this.#onFall.push(handler);
  }

  #look(service: Service): void {
    const key = keyOfService(service);
    const record = recordIn(this.#bindings.get(key));
    const isUnrecorded = record.admittedUsage === undefined && (isHeld(service) || isPublished(service));
    if (isUnrecorded && ['sync', 'cleanup'].includes(managementOf(service, record)))
      this.#pending.add(service.metadata.namespace, key);
    else this.#pending.delete(key);
  }

  #recount(key: ObjectKey): void {
    const before = this.#counted.get(key);
    const binding = this.#bindings.get(key);
    const after = this.#reserved.get(key) ?? (binding === undefined ? undefined : admittedIn(binding));
    const namespace = (after ?? before)?.namespace;
    if (namespace === undefined) return;
    if (after === undefined) this.#counted.delete(key);
    else this.#counted.set(key, after);
    const usage = added(after?.usage ?? NO_USAGE, before?.usage ?? NO_USAGE, -1);
    if (isNothing(usage)) return;
    for (const handler of this.#onChange) handler({ namespace, usage });
    if (!isWithin(NO_USAGE, usage)) this.#tellOfFall(namespace);
  }

  #tellOfFall(namespace: string): void {
    for (const handler of this.#onFall) handler(namespace);
  }
}
