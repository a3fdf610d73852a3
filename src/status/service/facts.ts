import type { Event, ObjectKey, Service } from '../../base/kubernetes-objects.ts';
import type { LoadBalancerBinding } from '../../inventory/binding.ts';
import type { ClassicLoadBalancer } from '../../inventory/custom-resources.ts';
import type { Attempt } from '../read-result.ts';

/** The facts about one Service, which `readService` reads once for each report. All lines use only these facts. */
export interface ServiceFacts {
  /** The time of the read, in milliseconds since the epoch. */
  readonly now: number;
  readonly key: ObjectKey;
  readonly service: Service;
  readonly binding: Attempt<LoadBalancerBinding>;
  /** The inventory object of the bound load balancer. */
  readonly loadBalancer: Attempt<ClassicLoadBalancer>;
  readonly events: Attempt<readonly Event[]>;
}
