import { WELL_KNOWN } from '../../annotation/well-known-names.ts';
import type { Service } from '../../base/kubernetes-objects.ts';

/* Evidence that a Service already has a load balancer, strongest first: addresses in the status, the finalizer, a label with an id. */

/** Returns whether the status of a Service contains an address or a host name. */
export const isPublished = ({ status }: Pick<Service, 'status'>): boolean =>
  (status?.loadBalancer?.ingress ?? []).length > 0;

/** Returns whether a Service has the finalizer of the controller, which the controller adds before it creates cloud resources. */
export const hasFinalizer = ({ metadata }: { readonly metadata: Pick<Service['metadata'], 'finalizers'> }): boolean =>
  metadata.finalizers?.includes(WELL_KNOWN.finalizer.name) === true;

/** Returns a Service as if it had the finalizer. */
export const withFinalizer = (service: Service): Service =>
  hasFinalizer(service)
    ? service
    : {
        ...service,
        metadata: {
          ...service.metadata,
          finalizers: [...(service.metadata.finalizers ?? []), WELL_KNOWN.finalizer.name],
        },
      };

type Labelled = { readonly metadata: Pick<Service['metadata'], 'labels'> };

/** Returns the load balancer id in the label that this controller and the Alibaba Cloud Controller Manager write. */
export const recordedIdOf = ({ metadata }: Labelled): string | undefined =>
  metadata.labels?.[WELL_KNOWN.loadBalancerId.name];
