import type { Facts } from '../inventory/facts.ts';
import type { Service } from '../base/objects.ts';
import type { ServiceView } from './effective-value.ts';
import type { Usage } from './usage.ts';

/** The usage of one Service. */
export interface NamespaceUsage {
  readonly namespace: string;
  readonly usage: Usage;
}

/** The usage that quotas count: the requests of stored Services, or the usage that the controller admitted. */
export interface UsageSource {
  /** Returns whether all Services are known. Quotas deny nothing before. */
  isKnown(): boolean;
  /** Returns the counted usage of each Service. */
  values(): Iterable<NamespaceUsage>;
  usageOf(service: Service): Usage;
  /** Returns the usage that a Service requests. */
  requestedBy(view: ServiceView, facts: Facts): Usage;
  /** Returns whether another Service in such a namespace has load balancers whose usage is not known yet. Undefined if this never happens. */
  isIncomplete?(butFor: Service, isConcerned: (namespace: string) => boolean): boolean;
  /** Calls `handler` with the difference after each change. */
  onChange(handler: (difference: NamespaceUsage) => void): void;
}
