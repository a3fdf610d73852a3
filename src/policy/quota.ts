import { CATALOGUE } from '../annotation/catalogue.ts';
import { annotationField } from '../annotation/field.ts';
import type { Matter } from '../clb/matter.ts';
import type { Quota } from './compile.ts';
import type { PolicyFault } from './policy.ts';
import type { PolicyOperation, QuotaDimension } from './resource.ts';
import type { PolicySet } from './policy-set.ts';
import { added, isWithin, type Usage } from './usage.ts';

/** What is counted, in words, and where a Service asks for it. */
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

/** Whoever passes a limit grows in nothing that is counted, so that what is counted of it stays true. */
const ALL_COUNTED: readonly Matter[] = ['listeners', 'annotation/bandwidth', 'annotation/chargeType'];

/** Of what may be more than is known. */
const UNSURE = ' or more';
const WAIT = 'wait until it is known what the Services that it counts have, which are being looked at';

/** What a Service is to have, beside what it has. */
export interface Growth {
  readonly own: Usage;
  /** What of it is in the sums. */
  readonly counted: Usage;
  readonly wanted: Usage;
  readonly operation: PolicyOperation;
}

const NONE: readonly PolicyFault[] = [];

/** Whether a set leaves room for so much in any case: even if nothing of it is among what is taken in the namespace already. */
export const hasRoom = ({ least, shared }: PolicySet, taken: Usage, wanted: Usage): boolean =>
  shared.length === 0 && isWithin(added(taken, wanted), least);

/** What there is of what quotas count, the Service included as it is. */
export interface Sums {
  /** In its namespace. */
  ofNamespace(): Usage;
  /** In all namespaces that a quota counts together. */
  over(quota: Quota): Usage;
  /** Whether others that a quota counts may have more of something, which will be known soon. */
  isUnsure(quota: Quota, dimension: QuotaDimension): boolean;
}

/** What all quotas of a set find. */
export function overQuota(
  { ofNamespaces, least, shared }: PolicySet,
  growth: Growth,
  sums: Sums,
): readonly PolicyFault[] {
  const { own, counted, wanted } = growth;
  if (isWithin(wanted, own)) return NONE;
  const total = added(added(sums.ofNamespace(), counted, -1), wanted);
  const isUnsure = (quota: Quota): boolean => quota.limits.some(([dimension]) => sums.isUnsure(quota, dimension));
  const isSure = isWithin(total, least) && !ofNamespaces.some(isUnsure);
  const exceeded = isSure ? NONE : ofNamespaces.flatMap((quota) => beyond(quota, total, growth, sums));
  if (shared.length === 0) return exceeded;
  return [
    ...exceeded,
    ...shared.flatMap((quota) => beyond(quota, added(added(sums.over(quota), counted, -1), wanted), growth, sums)),
  ];
}

/** Which limits of a quota are passed; one that the Service does not go further into than it is already is no fault of this request. */
function beyond(
  quota: Quota,
  all: Usage,
  { own, wanted, operation }: Growth,
  sums: Pick<Sums, 'isUnsure'>,
): readonly PolicyFault[] {
  if (quota.policy.operations?.has(operation) === false) return NONE;
  return quota.limits.flatMap(([dimension, limit]) => {
    const total = all[dimension];
    const isBeyond = total > limit;
    if (wanted[dimension] <= own[dimension] || !(isBeyond || sums.isUnsure(quota, dimension))) return [];
    const { one, many, field, fix } = COUNTED[dimension];
    const where = quota.per === 'namespace' ? 'in the namespace' : `in all namespaces of the policy together`;
    return [
      {
        field,
        found: `${total} ${total === 1 ? one : many}${isBeyond ? '' : UNSURE}`,
        allowed: `at most ${limit} ${where}`,
        fix: isBeyond ? fix : WAIT,
        by: quota.rule,
        about: () => ALL_COUNTED,
      },
    ];
  });
}
