import { refusalIn } from '../inventory/refused.ts';
import { keyOf, type ObjectKey, type Service } from '../objects.ts';
import type { Watched } from '../store.ts';
import { NO_USAGE, takenBy, type Usage } from './usage.ts';

/** The Services that quotas count, and what each of them takes. */
export interface Counted {
  /** Whether all are known: less than all is no reason to refuse, and none to let pass. */
  isKnown(): boolean;
  keys(): Iterable<ObjectKey>;
  takes(service: ObjectKey): Usage;
  /** What a Service may go on asking for, whether that is counted or not. */
  asks(service: ObjectKey): Usage;
  /** Called after a Service has changed, or what is known of it here. */
  onChange(handler: (service: ObjectKey) => void): void;
}

/** Answers what the cloud has of a Service, as far as that is known, whatever the Service says of it. */
export type Holdings = (service: Service) => Usage;

/** Services as they are stored. One for which the controller makes nothing takes what it has all the same. */
export const countedAsStored = (services: Watched<Service>, held: Holdings): Counted => ({
  isKnown: () => services.hasSynced(),
  keys: () => Iterator.from(services.values()).map(keyOf),
  takes: (key) => {
    const service = services.get(key);
    if (service === undefined) return NO_USAGE;
    return refusalIn(service) === undefined ? takenBy(service, held(service)) : held(service);
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
