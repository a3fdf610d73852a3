import { CATALOGUE } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/field.ts';
import type { AttributeKey } from '../clb/guards/attribute-keys.ts';
import type { Quota } from './compile.ts';
import type { PolicyViolation } from './policy.ts';
import type { PolicyOperation, QuotaDimension } from './resource.ts';
import { isWithin, type Usage } from './usage.ts';

/** The words for what is counted, and the field that requests it. */
const COUNTED: Readonly<
  Record<QuotaDimension, { readonly one: string; readonly many: string; readonly field: string; readonly fix: string }>
> = {
  loadBalancers: {
    one: 'load balancer',
    many: 'load balancers',
    field: 'spec.type',
    fix: 'delete a Service that is no longer needed, share a load balancer, or ask for a larger quota',
  },
  publicLoadBalancers: {
    one: 'load balancer on the internet',
    many: 'load balancers on the internet',
    field: annotationField(CATALOGUE.addressType.key),
    fix: 'make it intranet, delete one that is no longer needed, or ask for a larger quota',
  },
  listeners: {
    one: 'listener',
    many: 'listeners',
    field: 'spec.ports',
    fix: 'give up ports that are no longer needed, or ask for a larger quota',
  },
  bandwidth: {
    one: 'Mbit/s',
    many: 'Mbit/s',
    field: annotationField(CATALOGUE.bandwidth.key),
    fix: 'ask for less, or for a larger quota',
  },
};

/** A Service over one limit grows in nothing that is counted. */
const ALL_COUNTED: readonly AttributeKey[] = ['listeners', 'annotation/bandwidth', 'annotation/chargeType'];

/** A request of a Service beyond what is admitted to it. */
export interface Growth {
  /** What the Service keeps, whatever quotas say. */
  readonly admitted: Usage;
  /** The part of it in the sums. */
  readonly counted: Usage;
  readonly requested: Usage;
  readonly operation: PolicyOperation;
}

/** The usage that quotas count, with that of the Service. */
export interface Sums {
  over(quota: Quota): Usage;
  /** Returns whether further Services that a quota counts have usage that is not known yet. */
  isIncomplete(quota: Quota): boolean;
}

const NONE: readonly PolicyViolation[] = [];

/** Returns the limits that a growth exceeds. What is admitted exceeds no limit. */
export function exceededQuotas(quotas: readonly Quota[], growth: Growth, sums: Sums): readonly PolicyViolation[] {
  if (isWithin(growth.requested, growth.admitted)) return NONE;
  return quotas.flatMap((quota) => exceededLimits(quota, growth, sums));
}

function exceededLimits(quota: Quota, growth: Growth, sums: Sums): readonly PolicyViolation[] {
  const { admitted, counted, requested, operation } = growth;
  if (quota.policy.operations?.has(operation) === false) return NONE;
  const sum = sums.over(quota);
  return quota.limits.flatMap(([dimension, hard]) => {
    const more = requested[dimension] - admitted[dimension];
    if (more <= 0) return NONE;
    const used = sum[dimension] - counted[dimension] + admitted[dimension];
    if (used + more > hard) return [faultOf(quota, dimension, { used, more, hard })];
    return sums.isIncomplete(quota) ? [unknown(quota, dimension, hard)] : NONE;
  });
}

/** Amounts of what a quota counts. */
interface Amounts {
  readonly used: number;
  /** What the Service requests beyond what is admitted to it. */
  readonly more: number;
  readonly hard: number;
}

const subjectOf = ({ name, policy }: Quota): string => `quota "${name}" of LoadBalancerPolicy "${policy.name}"`;

const allowedBy = ({ per }: Quota, hard: number): string =>
  `at most ${hard} ${per === 'namespace' ? 'in the namespace' : 'in all namespaces of the policy together'}`;

function faultOf(quota: Quota, dimension: QuotaDimension, { used, more, hard }: Amounts): PolicyViolation {
  const { one, many, field, fix } = COUNTED[dimension];
  const total = used + more;
  return {
    field,
    found: `${total} ${total === 1 ? one : many}`,
    allowed: allowedBy(quota, hard),
    fix,
    by: quota.rule,
    about: () => ALL_COUNTED,
    quota: `exceeded ${subjectOf(quota)}: ${dimension}: used ${used}, requested ${more}, hard ${hard}`,
  };
}

const UNKNOWN = 'the usage of other Services is not known yet';

const unknown = (quota: Quota, dimension: QuotaDimension, hard: number): PolicyViolation => ({
  field: COUNTED[dimension].field,
  found: UNKNOWN,
  allowed: allowedBy(quota, hard),
  fix: 'wait until the controller has read the load balancers of all Services',
  by: quota.rule,
  about: () => ALL_COUNTED,
  quota: `waiting for ${subjectOf(quota)}: ${dimension}: ${UNKNOWN}`,
});
