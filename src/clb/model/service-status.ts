import type { Options } from '../../annotation/catalogue.ts';
import { WELL_KNOWN } from '../../annotation/well-known.ts';
import type { Service } from '../../base/objects.ts';

/*
 * A Service shows whether it has a load balancer by the addresses in its status, its finalizer, and labels with ids, strongest first. Only the tags
 * in the cloud prove that a load balancer was created for the Service (`Facts.ownedBy`).
 */

/** Returns whether the status of a Service contains an address or a host name. */
export const isPublished = ({ status }: Pick<Service, 'status'>): boolean =>
  (status?.loadBalancer?.ingress ?? []).length > 0;

/** Returns whether a Service has the finalizer, so that cloud resources of the Service may exist. */
export const hasFinalizer = ({ metadata }: { readonly metadata: Pick<Service['metadata'], 'finalizers'> }): boolean =>
  metadata.finalizers?.includes(WELL_KNOWN.finalizer.name) === true;

type Labelled = { readonly metadata: Pick<Service['metadata'], 'labels'> };

/** Returns the recorded id of the load balancer that serves the Service. */
export const recordedIdOf = ({ metadata }: Labelled): string | undefined =>
  metadata.labels?.[WELL_KNOWN.loadBalancerId.name];

/** Returns whether the status is to show the elastic IP addresses of the load balancer instead of its own address. */
export const wantsElastic = ({ externalIpType, hostname }: Options): boolean =>
  externalIpType === 'eip' && hostname === undefined;
