import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { keyOf, splitKey, type ObjectKey, type Service } from '../../base/kubernetes-objects.ts';
import type { ReportedFinding, NamespaceFindings } from '../../policy/report.ts';
import type { ByNamespace } from '../../policy/violation-counts.ts';
import type { Watched } from '../../base/cache-interfaces.ts';
import { yieldToOthers } from './event-loop-yield.ts';

export interface FindingsParts {
  readonly services: Watched<Service>;
  /** Returns the findings of the present rules and policies in a Service. Undefined if no rule applies to the Service. */
  readonly evaluate: (service: Service) => readonly ReportedFinding[] | undefined;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

interface ServiceFindings {
  readonly uid: string;
  readonly found: readonly ReportedFinding[];
}

const NO_LOCATIONS: ByNamespace = new Map();

/** The findings in all stored Services. An update evaluates only marked Services. */
export class Findings {
  readonly #parts: FindingsParts;
  readonly #byNamespace = new Map<string, Map<string, ServiceFindings>>();
  readonly #byRule = new Map<string, Map<string, Set<string>>>();
  readonly #stale = new Set<ObjectKey>();
  readonly #changed = new Set<string>();

  constructor(parts: FindingsParts) {
    this.#parts = parts;
    parts.services.onChange(({ before, after }) => {
      const service = after ?? before;
      if (service !== undefined) this.#stale.add(keyOf(service));
    });
    this.forgetAll();
  }

  /** Marks Services for another evaluation, because a policy, a Namespace or a load balancer changed. */
  forget(services: Iterable<Service>): void {
    for (const service of services) this.#stale.add(keyOf(service));
  }

  forgetAll(): void {
    this.forget(this.#parts.services.values());
  }

  /** Evaluates the marked Services. Runs before each pass of the policy reporter. Rejects with the reason of the aborted signal. */
  async update(signal: AbortSignal): Promise<void> {
    const { services, evaluate, clock } = this.#parts;
    const pause = yieldToOthers(clock);
    for (const key of this.#stale) {
      this.#stale.delete(key);
      const service = services.get(key);
      const found = service === undefined ? undefined : evaluate(service);
      this.#put(key, service === undefined || found === undefined ? undefined : { uid: service.metadata.uid, found });
      await pause(signal);
    }
  }

  /** Returns the namespaces whose findings changed since the last call. */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** The namespaces of Services to which rules apply. */
  get namespaces(): Iterable<string> {
    return this.#byNamespace.keys();
  }

  /** Returns the findings in a namespace, sorted by the name of the Service. */
  of(namespace: string): NamespaceFindings {
    const evaluated = this.#byNamespace.get(namespace) ?? new Map<string, ServiceFindings>();
    const services = [...evaluated]
      .filter(([, { found }]) => found.length > 0)
      .map(([name, { uid, found }]) => ({ name, uid, found }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    return { namespace, evaluated: evaluated.size, services };
  }

  /** Returns the Services in which a rule has findings, by namespace. */
  locationsOf(rule: string): ByNamespace {
    return this.#byRule.get(rule) ?? NO_LOCATIONS;
  }

  /** Stores the findings in a Service. Marks the namespace as changed if the findings differ. */
  #put(key: ObjectKey, now: ServiceFindings | undefined): void {
    const { namespace = '', name } = splitKey(key);
    const services = this.#byNamespace.get(namespace) ?? new Map<string, ServiceFindings>();
    const before = services.get(name);
    if (isDeepStrictEqual(before, now)) return;
    this.#changed.add(namespace);
    for (const { rule } of before?.found ?? []) this.#byRule.get(rule)?.get(namespace)?.delete(name);
    for (const { rule } of now?.found ?? []) this.#servicesOf(rule, namespace).add(name);
    if (now === undefined) services.delete(name);
    else services.set(name, now);
    if (services.size === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, services);
  }

  #servicesOf(rule: string, namespace: string): Set<string> {
    const namespaces = this.#byRule.get(rule) ?? new Map<string, Set<string>>();
    this.#byRule.set(rule, namespaces);
    const names = namespaces.get(namespace) ?? new Set<string>();
    namespaces.set(namespace, names);
    return names;
  }
}
