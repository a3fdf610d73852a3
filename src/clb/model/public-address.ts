import type { AddressType } from '../../inventory/resource.ts';

/** Returns whether a Service would become reachable from the internet although the cluster forbids it. A Service that is published already stays. */
export const wouldGoPublic = (
  /** The observed or requested address type; undefined means internet. */
  addressType: AddressType | undefined,
  { disablePublicSLB, isPublished }: { readonly disablePublicSLB: boolean; readonly isPublished: boolean },
): boolean => disablePublicSLB && !isPublished && addressType !== 'intranet';
