import { hasFinalizer, isPublished } from '../../../clb/model/provisioning-evidence.ts';
import type { Facts } from '../../../inventory/facts.ts';
import type { LoadBalancerBinding } from '../../../inventory/binding.ts';
import { objectKey, type ObjectKey, type Service } from '../../../base/kubernetes-objects.ts';
import type { ServiceView } from '../../../policy/effective-value.ts';
import { plusTimes, greatest, isNothing, isWithin, NO_USAGE, usageOf, type Usage } from '../../../policy/usage.ts';
import type { NamespaceUsage, UsageSource } from '../../../policy/usage-source.ts';
import type { Watched } from '../../../base/cache-interfaces.ts';
import type { BindingSource } from '../state/binding-store.ts';
import { recordIn } from '../state/binding-record.ts';
import { managementOf } from '../management.ts';

const keyOfService = ({ metadata }: Pick<Service, 'metadata'>): ObjectKey => objectKey(metadata.uid);

function recordedIn(binding: LoadBalancerBinding | undefined): NamespaceUsage | undefined {
  const { admittedUsage: usage, service } = binding?.spec ?? {};
  return usage === undefined || service === undefined ? undefined : { namespace: service.namespace, usage };
}

/** The name of a Service that exists or has existed. */
type ServiceName = Pick<Service['metadata'], 'namespace' | 'name'>;

/** The recorded and reserved usage that quotas count. Without reservations, concurrent reconciles together could exceed a quota. */
export class QuotaLedger implements UsageSource {
  readonly #bindings: BindingSource;
  readonly #services: Watched<Service>;
  /** The reserved usage, by the UID of the Service. */
  readonly #reserved = new Map<ObjectKey, NamespaceUsage>();
  /** The usage that counts now: the reserved usage, or else the recorded usage, by the UID of the Service. */
  readonly #counted = new Map<ObjectKey, NamespaceUsage>();
  /** The UIDs of Services that can have load balancers, and whose usage is not recorded, by namespace. */
  readonly #pending = new Map<string, Set<ObjectKey>>();
  readonly #onChange: ((difference: NamespaceUsage) => void)[] = [];
  readonly #onFall: ((namespace: string) => void)[] = [];

  constructor(services: Watched<Service>, bindings: BindingSource) {
    this.#services = services;
    this.#bindings = bindings;
    for (const key of bindings.keys()) {
      const binding = bindings.get(key);
      if (binding !== undefined) this.#refresh(key, binding.spec.service);
    }
    for (const service of services.values()) this.#refresh(keyOfService(service), service.metadata);
    bindings.onChange((key, { spec }) => this.#refresh(key, spec.service));
    services.onChange(({ before, after }) => {
      if (after !== undefined) this.#refresh(keyOfService(after), after.metadata);
      if (before !== undefined && before.metadata.uid !== after?.metadata.uid)
        this.#refresh(keyOfService(before), before.metadata);
    });
  }

  isKnown(): boolean {
    return this.#services.hasSynced();
  }

  values(): Iterable<NamespaceUsage> {
    return this.#counted.values();
  }

  usageOf(service: Service): Usage {
    return this.#counted.get(keyOfService(service))?.usage ?? NO_USAGE;
  }

  requestedBy(view: ServiceView, facts: Facts): Usage {
    const { id } = view.parsed.options;
    const known = id === undefined ? facts.ownedBy(view.object) : facts.loadBalancer(id);
    return usageOf(view, known);
  }

  isIncomplete(butFor: Service, isConcerned: (namespace: string) => boolean): boolean {
    const own = keyOfService(butFor);
    return this.#pending
      .entries()
      .some(([namespace, keys]) => keys.size > Number(keys.has(own)) && isConcerned(namespace));
  }

  /** Reserves usage for a reconcile, at least as much as is recorded. */
  reserve(service: Service, usage: Usage): void {
    const key = keyOfService(service);
    const { namespace } = service.metadata;
    const recorded = this.#bindings.get(key)?.spec.admittedUsage ?? NO_USAGE;
    this.#reserved.set(key, { namespace, usage: greatest(recorded, usage) });
    this.#recount(key);
  }

  /** Returns the usage to record before a change; undefined if nothing was evaluated. */
  reservedFor(service: Pick<Service, 'metadata'>): Usage | undefined {
    return this.#reserved.get(keyOfService(service))?.usage;
  }

  /** Ends the reservation of a reconcile, so that the recorded usage counts. */
  release(service: Pick<Service, 'metadata'>): void {
    const key = keyOfService(service);
    if (this.#reserved.delete(key)) this.#recount(key);
  }

  onChange(handler: (difference: NamespaceUsage) => void): void {
    this.#onChange.push(handler);
  }

  /** Calls `handler` with the namespace after its usage has fallen, or after its last unknown usage is recorded. */
  onFall(handler: (namespace: string) => void): void {
    this.#onFall.push(handler);
  }

  #refresh(key: ObjectKey, { namespace, name }: ServiceName): void {
    this.#recount(key);
    const keys = this.#pending.get(namespace) ?? new Set();
    if (this.#isUnrecorded(key, this.#services.get(objectKey(name, namespace)))) {
      this.#pending.set(namespace, keys.add(key));
    } else if (keys.delete(key) && keys.size === 0) {
      this.#pending.delete(namespace);
      this.#notifyFall(namespace);
    }
  }

  /** Returns whether a Service can have load balancers without recorded usage. `named` is the Service that has the name now. */
  #isUnrecorded(key: ObjectKey, named: Service | undefined): boolean {
    const binding = this.#bindings.get(key);
    const record = recordIn(binding);
    if (record.admittedUsage !== undefined) return false;
    if (named === undefined || keyOfService(named) !== key)
      return binding !== undefined && binding.spec.orphaned !== true;
    const mayHaveOne = binding !== undefined || hasFinalizer(named) || isPublished(named);
    return mayHaveOne && ['sync', 'cleanup'].includes(managementOf(named, record));
  }

  #recount(key: ObjectKey): void {
    const before = this.#counted.get(key);
    const after = this.#reserved.get(key) ?? recordedIn(this.#bindings.get(key));
    const namespace = (after ?? before)?.namespace;
    if (namespace === undefined) return;
    if (after === undefined) this.#counted.delete(key);
    else this.#counted.set(key, after);
    const usage = plusTimes(after?.usage ?? NO_USAGE, before?.usage ?? NO_USAGE, -1);
    if (isNothing(usage)) return;
    for (const handler of this.#onChange) handler({ namespace, usage });
    if (!isWithin(NO_USAGE, usage)) this.#notifyFall(namespace);
  }

  #notifyFall(namespace: string): void {
    for (const handler of this.#onFall) handler(namespace);
  }
}
