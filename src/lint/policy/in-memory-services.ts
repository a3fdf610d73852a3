import { keyOf, type ObjectKey, type Service } from '../../base/kubernetes-objects.ts';
import type { Change, Watched } from '../../base/cache-interfaces.ts';

/** The Services that quotas count. Commands use this list where the webhook uses a cache that watches the API server. */
export interface InMemoryServices extends Watched<Service> {
  put(service: Service): void;
}

/** Creates the list for commands without a watch, such as `lint` and `policy`. */
export function createInMemoryServices(services: Iterable<Service>): InMemoryServices {
  const objects = new Map<ObjectKey, Service>();
  const handlers: ((change: Change<Service>) => void)[] = [];
  for (const service of services) objects.set(keyOf(service), service);
  return {
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    values: () => objects.values(),
    byIndex: () => [],
    hasSynced: () => true,
    onSynced: () => undefined,
    onChange: (handler) => void handlers.push(handler),
    put: (service) => {
      const before = objects.get(keyOf(service));
      objects.set(keyOf(service), service);
      for (const handler of handlers) handler({ ...(before === undefined ? {} : { before }), after: service });
    },
  };
}
