import type { RouteAction } from './action.ts';
import type { FailedRoute } from './port.ts';

/** A route that the cloud would not make, turn round or delete. */
export type RouteFailure = FailedRoute & {
  readonly kind: RouteAction['kind'];
  /** Whether the permission for all such changes is missing, and not only for this one. */
  readonly isDenied: boolean;
};

/** Whether there is no room for it; more can only be asked for by a person. */
export const isQuota = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  /^(QuotaExceeded|OverQuota)|LimitExceeded/.test(code);

/** Whether the instance is not in the VPC of the table. */
export const isElsewhere = ({ code }: Pick<RouteFailure, 'code'>): boolean => /^InvalidNextHop/i.test(code);

/** Whether some entry has its range already. Which one, the next reading tells, unless it is of a kind that lists do not show. */
export const isTaken = ({ code }: Pick<RouteFailure, 'code'>): boolean =>
  code === 'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE';

/** Whether only a person can do something about it, or the Node that it is for changes first. */
export const isLasting = (failure: Pick<RouteFailure, 'code'>): boolean =>
  isQuota(failure) || isElsewhere(failure) || /^InvalidCidrBlock/i.test(failure.code);
