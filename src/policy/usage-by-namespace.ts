import { plusTimes, isNothing, NO_USAGE, type Usage } from './usage.ts';
import type { NamespaceUsage, UsageSource } from './usage-source.ts';

/** The usage of each namespace, which quotas count. The first use builds the sums, and each change of a Service updates the sums. */
export class UsageByNamespace {
  readonly #source: UsageSource;
  #totals: Map<string, Usage> | undefined;

  constructor(source: UsageSource) {
    this.#source = source;
    source.onChange((difference) => {
      if (this.#totals !== undefined) add(this.#totals, difference);
    });
  }

  of(namespace: string): Usage {
    return this.#known().get(namespace) ?? NO_USAGE;
  }

  entries(): Iterable<readonly [namespace: string, usage: Usage]> {
    return this.#known();
  }

  #known(): Map<string, Usage> {
    if (this.#totals !== undefined) return this.#totals;
    const totals = new Map<string, Usage>();
    for (const counted of this.#source.values()) add(totals, counted);
    this.#totals = totals;
    return totals;
  }
}

function add(totals: Map<string, Usage>, { namespace, usage }: NamespaceUsage): void {
  const total = plusTimes(totals.get(namespace) ?? NO_USAGE, usage);
  if (isNothing(total)) totals.delete(namespace);
  else totals.set(namespace, total);
}
