import type { CompiledQuota } from './compile.ts';
import type { ConditionContext } from './condition.ts';
import type { PolicyViolation, PolicyRequest } from './policy-decisions.ts';
import type { PolicySet } from './namespace-policies.ts';
import { exceededQuotas } from './quota.ts';
import { plusTimes, greatest, NO_USAGE, type Usage } from './usage.ts';
import { UsageByNamespace } from './usage-by-namespace.ts';
import type { NamespaceUsage, UsageSource } from './usage-source.ts';

const NONE: readonly PolicyViolation[] = [];

/** A counter of the usage that quotas limit. If a policy with quotas applies, the evaluation of a request asks the counter. */
export class QuotaCounter {
  readonly #source: UsageSource;
  readonly #usage: UsageByNamespace;
  readonly #setFor: (namespace: string) => PolicySet;
  /** For each quota over several namespaces: the usage of all its namespaces, summed on first use. */
  readonly #shared = new Map<CompiledQuota, Usage>();

  /** `setFor` returns the policies that select a namespace. */
  constructor(source: UsageSource, setFor: (namespace: string) => PolicySet) {
    this.#source = source;
    this.#setFor = setFor;
    this.#usage = new UsageByNamespace(source);
    source.onChange((difference) => this.#changed(difference));
  }

  /** Returns the usage that a quota counts for a namespace. */
  usageFor(quota: CompiledQuota, namespace: string): Usage {
    return quota.per === 'namespace' ? this.#usage.of(namespace) : this.#sharedUsage(quota);
  }

  /** Returns the violations of the quotas that a Service would exceed. Returns an empty list until all Services are known. */
  overQuota(
    set: PolicySet,
    { view, facts }: Pick<ConditionContext, 'view' | 'facts'>,
    request: PolicyRequest,
  ): readonly PolicyViolation[] {
    const { namespace, operation, has = NO_USAGE } = request;
    const source = this.#source;
    if (set.quotas.length === 0 || !source.isKnown()) return NONE;
    const counted = source.usageOf(view.object);
    const requested = source.requestedBy(view, facts);
    const growth = { admitted: greatest(counted, has), counted, requested, operation };
    return exceededQuotas(set.quotas, growth, {
      usageOf: (quota) => this.usageFor(quota, namespace),
      isIncomplete: (quota) =>
        source.isIncomplete?.(view.object, (other) =>
          quota.per === 'namespace' ? other === namespace : this.#setFor(other).quotas.includes(quota),
        ) === true,
    });
  }

  /** Clears the sums over several namespaces, which are wrong once a policy selects other namespaces than before. */
  forget(): void {
    this.#shared.clear();
  }

  #changed(difference: NamespaceUsage): void {
    if (this.#shared.size === 0) return;
    const { namespace, usage } = difference;
    const { quotas } = this.#setFor(namespace);
    for (const [quota, total] of this.#shared) {
      if (quotas.includes(quota)) this.#shared.set(quota, plusTimes(total, usage));
    }
  }

  #sharedUsage(quota: CompiledQuota): Usage {
    const known = this.#shared.get(quota);
    if (known !== undefined) return known;
    let total = NO_USAGE;
    for (const [namespace, of] of this.#usage.entries()) {
      if (this.#setFor(namespace).quotas.includes(quota)) total = plusTimes(total, of);
    }
    this.#shared.set(quota, total);
    return total;
  }
}
