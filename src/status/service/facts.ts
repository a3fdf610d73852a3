import type { Event, ObjectKey, Service } from '../../base/objects.ts';
import type { LoadBalancerBinding } from '../../inventory/binding.ts';
import type { ClassicLoadBalancer } from '../../inventory/resource.ts';
import type { Attempt } from '../attempt.ts';

/** The facts about one Service, read at one moment. */
export interface ServiceFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly key: ObjectKey;
  readonly service: Service;
  readonly binding: Attempt<LoadBalancerBinding>;
  /** The bound load balancer in the inventory. */
  readonly loadBalancer: Attempt<ClassicLoadBalancer>;
  readonly events: Attempt<readonly Event[]>;
}
