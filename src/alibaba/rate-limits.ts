import type { CloudOperation } from './cloud-call-types.ts';
import { isWrite } from './cloud-call-types.ts';

/** A rate limit: at most `calls` in any `windowMs`, for each account, region and API. */
export interface Limit {
  readonly calls: number;
  readonly windowMs: number;
}

/** Rate limits by API, such as `Slb.TagResources`. `Slb.read` and `Slb.write` apply to the other APIs of SLB. */
export type Limits = Readonly<Record<string, Limit>>;

const perMinute = (calls: number): Limit => ({ calls, windowMs: 60_000 });
const perSecond = (calls: number): Limit => ({ calls, windowMs: 1_000 });

/** The documented rate limits, which the limiter keeps. APIs without a documented limit have the limit of similar APIs. */
export const LIMITS: Limits = {
  'Slb.write': perMinute(90),
  'Slb.read': perMinute(3000),
  'Slb.CreateLoadBalancer': perMinute(60),
  'Slb.SetLoadBalancerModificationProtection': perMinute(400),
  'Slb.SetDomainExtensionAttribute': perMinute(400),
  'Slb.TagResources': perSecond(5),
  'Slb.UntagResources': perSecond(5),
  'Slb.ListTagResources': perSecond(10),
  'Vpc.write': perMinute(300),
  'Vpc.read': perMinute(600),
  'Ecs.write': perMinute(500),
  'Ecs.read': perMinute(1000),
};

export const apiName = ({ product, action }: CloudOperation): string => `${product}.${action}`;

/** Returns the rate limit of an API: its own entry, or the entry of its product. */
export function limitOf(operation: CloudOperation, limits: Limits): Limit {
  const limit = limits[apiName(operation)] ?? limits[`${operation.product}.${isWrite(operation) ? 'write' : 'read'}`];
  // A product without entries, such as Sts, gets the lowest documented limit.
  return limit ?? perMinute(60);
}
