import type { RouteAction } from './action.ts';
import type { FailedRoute } from './port.ts';

/** A route that the cloud did not create, switch or delete. */
export type RouteFailure = FailedRoute & {
  readonly kind: RouteAction['kind'];
  /** True if the permission for all changes of this kind is missing. */
  readonly isDenied: boolean;
};

/** Returns whether a quota is used up. Only a user can request more. */
export const isQuota = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  /^(QuotaExceeded|OverQuota)|LimitExceeded/.test(code);

/** Returns whether the instance is outside the VPC of the table. */
export const isOutsideVpc = ({ code }: Pick<RouteFailure, 'code'>): boolean => /^InvalidNextHop/i.test(code);

/** Returns whether another entry has the range. The next read shows the entry, unless lists omit its kind. */
export const isTaken = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  code === 'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE';

/** Returns whether the failure lasts until a user acts or the Node changes. */
export const isLasting = (failure: Pick<RouteFailure, 'code'>): boolean =>
  isQuota(failure) || isOutsideVpc(failure) || /^InvalidCidrBlock/i.test(failure.code);
