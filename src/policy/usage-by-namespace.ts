import { namespaceOf, type ObjectKey } from '../objects.ts';
import type { Counted } from './counted.ts';
import { added, isNothing, NO_USAGE, type Usage } from './usage.ts';

/** What the Services of each namespace take, kept up to date; worked out when it is asked for first. */
export class UsageByNamespace {
  readonly #services: Counted;
  readonly #onChange: (namespace: string, change: Usage) => void;
  #totals: Map<string, Usage> | undefined;
  /** What each Service is in the totals with: what is there of it may turn out, or be forgotten, later. */
  readonly #taken = new Map<ObjectKey, Usage>();

  /** Tells of every change, once somebody has asked. */
  constructor(services: Counted, onChange: (namespace: string, change: Usage) => void = () => undefined) {
    this.#services = services;
    this.#onChange = onChange;
    services.onChange((key) => this.recount(key));
  }

  of(namespace: string): Usage {
    return this.#known().get(namespace) ?? NO_USAGE;
  }

  entries(): Iterable<readonly [namespace: string, usage: Usage]> {
    return this.#known();
  }

  /** What a Service is in the sums with. */
  ofService(key: ObjectKey): Usage {
    this.#known();
    return this.#taken.get(key) ?? NO_USAGE;
  }

  /** To be told of a Service when something else has become known of it. */
  recount(key: ObjectKey): void {
    if (this.#totals === undefined) return;
    const before = this.#taken.get(key) ?? NO_USAGE;
    const change = added(this.#take(key), before, -1);
    if (isNothing(change)) return;
    const namespace = namespaceOf(key);
    const total = added(this.#totals.get(namespace) ?? NO_USAGE, change);
    if (isNothing(total)) this.#totals.delete(namespace);
    else this.#totals.set(namespace, total);
    this.#onChange(namespace, change);
  }

  #known(): Map<string, Usage> {
    if (this.#totals !== undefined) return this.#totals;
    const totals = new Map<string, Usage>();
    for (const key of this.#services.keys()) {
      const namespace = namespaceOf(key);
      totals.set(namespace, added(totals.get(namespace) ?? NO_USAGE, this.#take(key)));
    }
    this.#totals = totals;
    return totals;
  }

  #take(key: ObjectKey): Usage {
    const usage = this.#services.takes(key);
    if (isNothing(usage)) this.#taken.delete(key);
    else this.#taken.set(key, usage);
    return usage;
  }
}
