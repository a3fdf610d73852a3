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

/** What a Service tells of the load balancer that serves it. */
export interface Told {
  /** The IP addresses in its status that are the load balancer's own; not elastic ones, nor host names. */
  readonly published: readonly string[];
  /** By its label; absent if none is told. */
  readonly recordedId?: string;
}

/** Whether the Service asks that its status says the elastic IP addresses of its load balancer in place of its own. */
export const wantsElastic = ({ externalIpType, hostname }: Options): boolean =>
  externalIpType === 'eip' && hostname === undefined;

/** Of the IP addresses in a status those that this load balancer must have to be the one that serves the Service. */
export function ownAddresses(
  addresses: readonly string[],
  options: Options,
  { id, recordedId }: { readonly id: string; readonly recordedId?: string | undefined },
): readonly string[] {
  // One that was served by this very load balancer may still say elastic addresses that it no longer asks for.
  return wantsElastic(options) || recordedId === id ? [] : addresses;
}

/** Whether a Service is served by another load balancer than this one. Where nothing tells of any, that cannot be known. */
export function isAnother(
  { id, address }: { readonly id: string; readonly address: string | undefined },
  { published, recordedId }: Told,
): boolean | 'unknown' {
  if (published.length > 0) return address === undefined || !published.includes(address);
  return recordedId === undefined ? 'unknown' : recordedId !== id;
}
