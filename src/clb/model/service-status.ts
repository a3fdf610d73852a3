import type { Options } from '../../annotation/catalogue.ts';
import { WELL_KNOWN } from '../../annotation/marks.ts';
import type { Service } from '../../base/kubernetes-objects.ts';

/*
 * Three fields of a Service suggest that a load balancer exists, strongest first: addresses in the status, the finalizer, and labels with ids. Only
 * the tags in the cloud prove that a load balancer was created for the Service (`Facts.ownedBy`).
 */

/** Returns whether the status of a Service contains an address or a host name. */
export const isPublished = ({ status }: Pick<Service, 'status'>): boolean =>
  (status?.loadBalancer?.ingress ?? []).length > 0;

/** Returns whether a Service has the finalizer. The controller adds the finalizer before it creates cloud resources. */
export const hasFinalizer = ({ metadata }: { readonly metadata: Pick<Service['metadata'], 'finalizers'> }): boolean =>
  metadata.finalizers?.includes(WELL_KNOWN.finalizer.name) === true;

type Labelled = { readonly metadata: Pick<Service['metadata'], 'labels'> };

/** Returns the id in the label that this controller and the existing controller write. Undefined until a load balancer serves the Service. */
export const recordedIdOf = ({ metadata }: Labelled): string | undefined =>
  metadata.labels?.[WELL_KNOWN.loadBalancerId.name];

/** Returns whether a Service requests elastic IP addresses in its status instead of the load balancer's own address. */
export const wantsElastic = ({ externalIpType, hostname }: Options): boolean =>
  externalIpType === 'eip' && hostname === undefined;
