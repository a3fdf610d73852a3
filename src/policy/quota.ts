import { CATALOGUE } from '../annotation/catalogue.ts';
import type { Quota } from './compile.ts';
import type { ServiceView } from './counting-value.ts';
import type { PolicyFault } from './policy.ts';
import type { QuotaDimension } from './resource.ts';
import { usageOf, type Usage } from './usage.ts';

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
    field: `metadata.annotations[${CATALOGUE.addressType.key}]`,
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
    field: `metadata.annotations[${CATALOGUE.bandwidth.key}]`,
    fix: 'ask for less, or for a larger quota',
  },
};

/** What there is without the Service that is being judged, and what that has already. */
export interface Taken {
  readonly others: Usage;
  readonly own: Usage;
}

/** Which limits of a quota a Service would go beyond; one that it does not go further into than it is already is no fault of this request. */
export function beyond(quota: Quota, view: ServiceView, { others, own }: Taken): readonly PolicyFault[] {
  const wanted = usageOf(view);
  return quota.limits.flatMap(([dimension, limit]) => {
    const total = others[dimension] + wanted[dimension];
    if (wanted[dimension] <= own[dimension] || total <= limit) return [];
    const { one, many, field, fix } = COUNTED[dimension];
    const where = quota.per === 'namespace' ? 'in the namespace' : `in all namespaces of the policy together`;
    return [
      {
        field,
        found: `${total} ${total === 1 ? one : many}`,
        allowed: `at most ${limit} ${where}`,
        fix,
        by: quota.rule,
      },
    ];
  });
}
