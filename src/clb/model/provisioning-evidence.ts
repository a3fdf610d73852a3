import { WELL_KNOWN } from '../../annotation/well-known-names.ts';
import type { Service } from '../../base/kubernetes-objects.ts';

/*
 * Rules and the controller ask here whether a Service might already have a load balancer. The evidence, strongest first: addresses in the status, the
 * finalizer, and a label with an id. `ownership.ts` decides whether a load balancer was created for the Service.
 */

/**
 * Returns whether the status of a Service contains an address or a host name. Without this check, the controller could replace the address of a
 * Service.
 */
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

/**
 * Returns the id of a load balancer in the label that this controller and the Alibaba Cloud Controller Manager write. Undefined until a load balancer
 * serves the Service.
 */
export const recordedIdOf = ({ metadata }: Labelled): string | undefined =>
  metadata.labels?.[WELL_KNOWN.loadBalancerId.name];
