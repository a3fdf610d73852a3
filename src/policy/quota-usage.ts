import type { PolicyCache } from './policy-cache.ts';
import type { CompiledPolicy, CompiledQuota } from './compile.ts';
import type { QuotaDimension, QuotaUsage } from './custom-resources.ts';
import { greatest, NO_USAGE, type Usage } from './usage.ts';

/** The maximum number of rows in a status, which keeps the rows that are nearest to their limits. */
const MOST_USAGE = 100;

/** The usage that a quota counts, in one namespace or in all namespaces of the policy. */
interface QuotaCount {
  readonly quota: CompiledQuota;
  readonly usage: Usage;
  readonly namespace?: string;
  /** The used fraction of the nearest limit. */
  readonly share: number;
}

function shareOf({ limits }: CompiledQuota, usage: Usage): number {
  let share = 0;
  for (const [dimension, limit] of limits) share = Math.max(share, usage[dimension] / Math.max(limit, 1));
  return share;
}

function countedBy(quota: CompiledQuota, policyCache: PolicyCache, selected: readonly string[]): readonly QuotaCount[] {
  if (quota.per === 'policy') {
    const usage = policyCache.usageFor(quota, selected[0] ?? '');
    return [{ quota, usage, share: shareOf(quota, usage) }];
  }
  const counted: QuotaCount[] = [];
  for (const namespace of selected) {
    const usage = policyCache.usageFor(quota, namespace);
    const share = shareOf(quota, usage);
    if (share > 0) counted.push({ quota, usage, namespace, share });
  }
  return counted;
}

const rowOf = ({ quota, usage, namespace }: QuotaCount): QuotaUsage => ({
  name: quota.name,
  ...(namespace === undefined ? {} : { namespace }),
  used: Object.fromEntries(quota.limits.map(([dimension]) => [dimension, usage[dimension]])),
  hard: Object.fromEntries(quota.limits),
});

const keyOfRow = ({ name, namespace = '' }: QuotaUsage): string => `${name} ${namespace}`;

/** Returns the usage of the quotas of a policy, for its status, sorted by quota and namespace. Leaves out namespaces without usage. */
export const quotaUsage = (
  policy: CompiledPolicy,
  policyCache: PolicyCache,
  selected: readonly string[],
): readonly QuotaUsage[] =>
  policy.quotas
    .flatMap((quota) => countedBy(quota, policyCache, selected))
    .sort((left, right) => right.share - left.share)
    .slice(0, MOST_USAGE)
    .map(rowOf)
    .sort((left, right) => (keyOfRow(left) < keyOfRow(right) ? -1 : 1));

/** The usage and the limit of one dimension of a quota. */
export interface QuotaLevel {
  readonly policy: string;
  readonly quota: string;
  readonly dimension: QuotaDimension;
  readonly used: number;
  readonly hard: number;
}

/** Returns the levels of all quotas, for metrics. For a quota per namespace, each dimension has the greatest usage of any namespace. */
export const quotaLevels = (
  policyCache: PolicyCache,
  selected: ReadonlyMap<CompiledPolicy, readonly string[]>,
): readonly QuotaLevel[] =>
  policyCache.policies.flatMap((policy) =>
    policy.quotas.flatMap((quota) => {
      const namespaces = selected.get(policy) ?? [];
      const counted = quota.per === 'policy' ? [namespaces[0] ?? ''] : namespaces;
      const used = counted.reduce((most, name) => greatest(most, policyCache.usageFor(quota, name)), NO_USAGE);
      return quota.limits.map(([dimension, hard]) => ({
        ...{ policy: policy.name, quota: quota.name, dimension },
        ...{ used: used[dimension], hard },
      }));
    }),
  );
