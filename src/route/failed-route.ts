import type { RouteAction } from './action.ts';
import type { FailedRoute } from './route-api.ts';

/** A route that the cloud did not change as planned, with the error. */
export type RouteFailure = FailedRoute & {
  readonly kind: RouteAction['kind'];
  /** True if the permission for changes of the kind is missing. */
  readonly isDenied: boolean;
};

/** Returns whether the route failed because a quota is exhausted. Only a user can raise the quota. */
export const isQuota = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  /^(QuotaExceeded|OverQuota)|LimitExceeded/.test(code);

/** Returns whether the route failed because the instance is outside the VPC of the table. */
export const isOutsideVpc = ({ code }: Pick<RouteFailure, 'code'>): boolean => /^InvalidNextHop/i.test(code);

/** Returns whether the route failed because another entry has the same CIDR. The cloud's lists omit some kinds of entries. */
export const isRangeInUse = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  code === 'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE';

/** Returns whether the failure lasts until a user acts or the Node changes. Retries are then rare. */
export const isLasting = (failure: Pick<RouteFailure, 'code'>): boolean =>
  isQuota(failure) || isOutsideVpc(failure) || /^InvalidCidrBlock/i.test(failure.code);
