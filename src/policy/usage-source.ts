import type { Facts } from '../inventory/facts.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import type { ServiceView } from './effective-value.ts';
import type { Usage } from './usage.ts';

/** The usage of one Service, with its namespace. */
export interface NamespaceUsage {
  readonly namespace: string;
  readonly usage: Usage;
}

/** The usage that quotas count. The webhook counts what stored Services request, and the controller counts what it admitted. */
export interface UsageSource {
  /** Returns whether all Services are known. Until then, quotas deny nothing. */
  isKnown(): boolean;
  /** Returns the counted usage of each Service. */
  values(): Iterable<NamespaceUsage>;
  usageOf(service: Service): Usage;
  /** Returns the usage that a Service requests. */
  requestedBy(view: ServiceView, facts: Facts): Usage;
  /** Returns whether the usage of a Service other than `butFor` is unknown, in a namespace that `isConcerned` selects. */
  isIncomplete?(butFor: Service, isConcerned: (namespace: string) => boolean): boolean;
  /** Calls `handler` with the difference after each change. */
  onChange(handler: (difference: NamespaceUsage) => void): void;
}
