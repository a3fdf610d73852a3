import type { AddressType } from '../../inventory/custom-resources.ts';

/** Returns whether a Service would become public although the cluster forbids internet load balancers; false for a published Service. */
export const wouldGoPublic = (
  /** The observed or requested address type; undefined means internet. */
  addressType: AddressType | undefined,
  { disablePublicSLB, isPublished }: { readonly disablePublicSLB: boolean; readonly isPublished: boolean },
): boolean => disablePublicSLB && !isPublished && addressType !== 'intranet';
