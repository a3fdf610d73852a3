import { CATALOGUE } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/annotation-field-path.ts';
import type { AttributeKey } from '../clb/guards/blockable-attributes.ts';
import type { CompiledQuota } from './compile.ts';
import type { PolicyViolation } from './policy-decisions.ts';
import type { PolicyOperation, QuotaDimension } from './custom-resources.ts';
import { isWithin, type Usage } from './usage.ts';

/** The words for each dimension of a quota, and the field that requests an amount. */
const COUNTED: Readonly<
  Record<
    QuotaDimension,
    { readonly one: string; readonly many: string; readonly field: string; readonly remedy: string }
  >
> = {
  loadBalancers: {
    one: 'load balancer',
    many: 'load balancers',
    field: 'spec.type',
    remedy: 'delete a Service that you no longer need, share a load balancer, or ask for a larger quota',
  },
  publicLoadBalancers: {
    one: 'public load balancer',
    many: 'public load balancers',
    field: annotationField(CATALOGUE.addressType.key),
    remedy: 'use intranet, delete a Service that you no longer need, or ask for a larger quota',
  },
  listeners: {
    one: 'listener',
    many: 'listeners',
    field: 'spec.ports',
    remedy: 'remove ports that you no longer need, or ask for a larger quota',
  },
  bandwidth: {
    one: 'Mbit/s',
    many: 'Mbit/s',
    field: annotationField(CATALOGUE.bandwidth.key),
    remedy: 'request less, or ask for a larger quota',
  },
};

/** The attributes that must not grow while a Service exceeds a limit. */
const ALL_COUNTED: readonly AttributeKey[] = ['listeners', 'annotation/bandwidth', 'annotation/chargeType'];

/** The usage that a Service requests, and the usage that it already has. */
export interface Growth {
  /** The usage that the Service keeps, regardless of quotas. */
  readonly admitted: Usage;
  /** The usage of this Service that `Sums` contains. */
  readonly counted: Usage;
  readonly requested: Usage;
  readonly operation: PolicyOperation;
}

/** The sums of usage that quotas limit. Each sum includes the usage `counted` of the evaluated Service. */
export interface Sums {
  usageOf(quota: CompiledQuota): Usage;
  /** Returns whether a quota counts another Service whose usage is not known yet. */
  isIncomplete(quota: CompiledQuota): boolean;
}

const NONE: readonly PolicyViolation[] = [];

/** Returns a violation for each limit that a Service exceeds or may exceed. */
export function exceededQuotas(
  quotas: readonly CompiledQuota[],
  growth: Growth,
  sums: Sums,
): readonly PolicyViolation[] {
  // Admitted usage is never a violation, so existing Services keep working.
  if (isWithin(growth.requested, growth.admitted)) return NONE;
  return quotas.flatMap((quota) => exceededLimits(quota, growth, sums));
}

function exceededLimits(quota: CompiledQuota, growth: Growth, sums: Sums): readonly PolicyViolation[] {
  const { admitted, counted, requested, operation } = growth;
  if (quota.policy.operations?.has(operation) === false) return NONE;
  const sum = sums.usageOf(quota);
  return quota.limits.flatMap(([dimension, hard]) => {
    const more = requested[dimension] - admitted[dimension];
    if (more <= 0) return NONE;
    const used = sum[dimension] - counted[dimension] + admitted[dimension];
    if (used + more > hard) return [limitViolation(quota, dimension, { used, more, hard })];
    return sums.isIncomplete(quota) ? [unknownUsage(quota, dimension, hard)] : NONE;
  });
}

/** The amounts of one dimension of a quota. */
interface Amounts {
  readonly used: number;
  /** The requested amount minus the admitted amount. */
  readonly more: number;
  readonly hard: number;
}

const subjectOf = ({ name, policy }: CompiledQuota): string => `quota "${name}" of LoadBalancerPolicy "${policy.name}"`;

const limitOf = ({ per }: CompiledQuota, hard: number): string =>
  `the limit is ${hard} ${per === 'namespace' ? 'in the namespace' : 'in all namespaces of the policy together'}`;

function limitViolation(
  quota: CompiledQuota,
  dimension: QuotaDimension,
  { used, more, hard }: Amounts,
): PolicyViolation {
  const { one, many, field, remedy } = COUNTED[dimension];
  const total = used + more;
  return {
    field,
    reason: 'Forbidden',
    value: total,
    detail: `${total} ${total === 1 ? one : many} requested, ${limitOf(quota, hard)}`,
    remedy,
    by: quota.rule,
    about: () => ALL_COUNTED,
    quotaMessage: `exceeded ${subjectOf(quota)}: ${dimension}: used ${used}, requested ${more}, hard ${hard}`,
  };
}

const UNKNOWN = 'the usage of other Services is not known yet';

const unknownUsage = (quota: CompiledQuota, dimension: QuotaDimension, hard: number): PolicyViolation => ({
  field: COUNTED[dimension].field,
  reason: 'Forbidden',
  value: UNKNOWN,
  detail: `${UNKNOWN}, and ${limitOf(quota, hard)}`,
  remedy: 'wait until the controller has read the load balancers of all Services',
  by: quota.rule,
  about: () => ALL_COUNTED,
  quotaMessage: `waiting for ${subjectOf(quota)}: ${dimension}: ${UNKNOWN}`,
});
