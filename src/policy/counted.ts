import { parseAnnotations } from '../annotation/parse.ts';
import { isPublished } from '../clb/told.ts';
import { refusalIn } from '../inventory/refused.ts';
import { keyOf, type ObjectKey, type Service } from '../objects.ts';
import type { Watched } from '../store.ts';
import type { QuotaDimension } from './resource.ts';
import { NO_USAGE, takenBy, type Held, type Usage } from './usage.ts';

/** The Services that quotas count, and what each of them takes. */
export interface Counted {
  /** Whether all are known: less than all is no reason to refuse, and none to let pass. */
  isKnown(): boolean;
  keys(): Iterable<ObjectKey>;
  takes(service: ObjectKey): Usage;
  /** What a Service may go on asking for, whether that is counted or not. */
  asks(service: ObjectKey): Usage;
  /** Whether Services of such namespaces, another one than this, may take more of something, which will be known soon; never when absent. */
  isUnsure?(dimension: QuotaDimension, butFor: ObjectKey, isConcerned: (namespace: string) => boolean): boolean;
  /** Called after a Service has changed, or what is known of it here. */
  onChange(handler: (service: ObjectKey) => void): void;
}

/** Answers what the cloud has of a Service, as far as that is known, whatever the Service says of it. */
export type Holdings = (service: Service) => Held;

/** Whether all is known of what a Service has: nothing where it tells no address, and of listeners on a load balancer that it reuses those that the mirror shows. */
const isAllKnown = (service: Service, { loadBalancers, listeners }: Usage): boolean =>
  !isPublished(service) ||
  (loadBalancers === 0 && listeners > 0 && parseAnnotations(service.metadata.annotations).options.id !== undefined);

/** Services as they are stored. Of one that the controller refuses what it has counts, where that is known, and else what it asks for. */
export const countedAsStored = (services: Watched<Service>, held: Holdings): Counted => ({
  isKnown: () => services.hasSynced(),
  keys: () => Iterator.from(services.values()).map(keyOf),
  takes: (key) => {
    const service = services.get(key);
    if (service === undefined) return NO_USAGE;
    const has = held(service);
    return refusalIn(service) !== undefined && isAllKnown(service, has) ? has : takenBy(service, has);
  },
  asks: (key) => {
    const service = services.get(key);
    return service === undefined ? NO_USAGE : takenBy(service, held(service));
  },
  onChange: (handler) => {
    services.onChange(({ before, after }) => {
      const service = after ?? before;
      if (service !== undefined) handler(keyOf(service));
    });
  },
});
