import type { RouteAction } from './action.ts';
import type { FailedRoute } from './route-api.ts';

/** A route that the cloud did not change as planned, with the error. */
export type RouteFailure = FailedRoute & {
  readonly kind: RouteAction['kind'];
  /** True if the permission for changes of the kind is missing. */
  readonly isDenied: boolean;
};

/** Returns whether the route failed because of an exhausted quota, which only a user can raise. */
export const isQuota = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  /^(QuotaExceeded|OverQuota)|LimitExceeded/.test(code);

/** Returns whether the route failed because the instance is outside the VPC of the table. */
export const isOutsideVpc = ({ code }: Pick<RouteFailure, 'code'>): boolean => /^InvalidNextHop/i.test(code);

/** Returns whether the route failed because of an entry with the same CIDR. The plan cannot see some entries, because the cloud's lists omit them. */
export const isRangeInUse = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  code === 'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE';

/** Returns whether the failure lasts until a user acts or the Node changes. If so, retries are rare. */
export const isLasting = (failure: Pick<RouteFailure, 'code'>): boolean =>
  isQuota(failure) || isOutsideVpc(failure) || /^InvalidCidrBlock/i.test(failure.code);
