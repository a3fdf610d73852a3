import { parseAnnotations } from '../annotation/parse.ts';
import { keyOf, type Service } from '../base/kubernetes-objects.ts';
import type { Watched } from '../base/cache-interfaces.ts';
import { plusTimes, NO_USAGE, usageOf, type Usage } from './usage.ts';
import type { NamespaceUsage, UsageSource } from './usage-source.ts';

const requestOf = (service: Service): Usage =>
  usageOf({ object: service, parsed: parseAnnotations(service.metadata.annotations) });

const countedOf = (service: Service): NamespaceUsage => ({
  namespace: service.metadata.namespace,
  usage: requestOf(service),
});

/** Returns the usage that stored Services request. The webhook counts this usage, because the webhook does not read the cloud. */
export const requestedUsage = (services: Watched<Service>): UsageSource => ({
  isKnown: () => services.hasSynced(),
  values: () => Iterator.from(services.values()).map(countedOf),
  usageOf: (service) => {
    const stored = services.get(keyOf(service));
    return stored === undefined ? NO_USAGE : requestOf(stored);
  },
  requestedBy: (view) => usageOf(view),
  onChange: (handler) => {
    services.onChange(({ before, after }) => {
      const service = after ?? before;
      if (service === undefined) return;
      handler({
        namespace: service.metadata.namespace,
        // A getter, so that annotations are parsed only if a quota counts the Service.
        get usage() {
          return plusTimes(
            after === undefined ? NO_USAGE : requestOf(after),
            before === undefined ? NO_USAGE : requestOf(before),
            -1,
          );
        },
      });
    });
  },
});
