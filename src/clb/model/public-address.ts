import type { AddressType } from '../../inventory/resource.ts';

/** Whether a Service would begin to be reached from the internet where that is forbidden. One that is so already stays. */
export const wouldGoPublic = (
  /** What the load balancer has, or what is asked of a new one; on the internet when absent. */
  addressType: AddressType | undefined,
  { disablePublicSLB, isPublished }: { readonly disablePublicSLB: boolean; readonly isPublished: boolean },
): boolean => disablePublicSLB && !isPublished && addressType !== 'intranet';
