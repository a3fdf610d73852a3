import type { Options } from '../annotation/catalogue.ts';
import { MARKS } from '../annotation/marks.ts';
import type { Service } from '../objects.ts';

/*
 * What a Service tells of its load balancer, from the surest to the least: an address in its status, which the world relies on; the
 * finalizer, by which something of it may be in the cloud, or nothing; and labels of ids, which are hints where to look.
 * That a load balancer was made for it, and which, the cloud's tags alone prove (`Facts.madeFor`).
 */

/** Whether it has told the world where it is to be reached. */
export const isPublished = ({ status }: Pick<Service, 'status'>): boolean =>
  (status?.loadBalancer?.ingress ?? []).length > 0;

/** Whether something of it may be in the cloud, by the finalizer that keeps it until that is gone. */
export const isHeld = ({ metadata }: { readonly metadata: Pick<Service['metadata'], 'finalizers'> }): boolean =>
  metadata.finalizers?.includes(MARKS.finalizer.name) === true;

type Labelled = { readonly metadata: Pick<Service['metadata'], 'labels'> };

/** The id of the load balancer that was recorded as the one that serves it. */
export const recordedIdOf = ({ metadata }: Labelled): string | undefined =>
  metadata.labels?.[MARKS.loadBalancerId.name];

/** Whether the Service asks that its status says the elastic IP addresses of its load balancer in place of its own. */
export const wantsElastic = ({ externalIpType, hostname }: Options): boolean =>
  externalIpType === 'eip' && hostname === undefined;
