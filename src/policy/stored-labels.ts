import { keyOf, type ObjectKey, type Service } from '../base/kubernetes-objects.ts';
import { isSelected, LabelIndex, type Labelling, type Selectors } from './object-label-index.ts';
import type { Labelled, Selector } from './selector.ts';

const NO_LABELS: Labelled = { labels: {}, isComplete: true };

/** A list of Services. The values are read on demand, so that no outdated Service stays in memory. */
interface Listed {
  values(): Iterable<Service>;
}

/** The labels of namespaces and of stored Services of type LoadBalancer, at one time. */
export class StoredLabels {
  readonly namespaces: readonly string[];
  readonly #labelled: (namespace: string) => Labelled;
  readonly #services: Listed | undefined;
  #byKey: ReadonlyMap<ObjectKey, Labelling> | undefined;
  #ofNamespaces: LabelIndex | undefined;
  #ofServices: LabelIndex | undefined;
  readonly #answers = new WeakMap<Selectors, Map<Selectors | undefined, boolean>>();

  /** `services` is undefined if the Services are not known. */
  constructor(source: { labelled(namespace: string): Labelled }, namespaces: Iterable<string>, services?: Listed) {
    this.namespaces = [...namespaces];
    this.#labelled = (namespace) => source.labelled(namespace);
    this.#services = services;
  }

  /** Returns whether a namespace exists that all selectors select. */
  hasNamespace(by: readonly (Selector | undefined)[]): boolean {
    this.#ofNamespaces ??= new LabelIndex(
      this.namespaces.map((name) => ({ namespace: this.#labelled(name), own: NO_LABELS })),
    );
    return this.#ofNamespaces.hasOne(by.map((namespaces) => ({ namespaces, services: undefined })));
  }

  /** Returns whether a Service exists that both selections select. Returns undefined if the Services are not known. Caches the result. */
  hasService(selection: Selectors, policy?: Selectors): boolean | undefined {
    if (this.#services === undefined) return undefined;
    this.#ofServices ??= new LabelIndex([...this.#labellings(this.#services).values()]);
    const answers = this.#answers.get(selection) ?? new Map<Selectors | undefined, boolean>();
    this.#answers.set(selection, answers);
    const answer =
      answers.get(policy) ?? this.#ofServices.hasOne(policy === undefined ? [selection] : [selection, policy]);
    answers.set(policy, answer);
    return answer;
  }

  /** Returns whether a Service with this name exists and the policy selects it. Returns undefined if the Services are not known. */
  hasServiceNamed(service: ObjectKey, policy?: Selectors): boolean | undefined {
    if (this.#services === undefined) return undefined;
    const found = this.#labellings(this.#services).get(service);
    return found !== undefined && (policy === undefined || isSelected(found, [policy]));
  }

  #labellings(services: Listed): ReadonlyMap<ObjectKey, Labelling> {
    if (this.#byKey !== undefined) return this.#byKey;
    const byKey = new Map<ObjectKey, Labelling>();
    const labelled = new Map(this.namespaces.map((name) => [name, this.#labelled(name)]));
    for (const service of services.values()) {
      const { metadata, spec } = service;
      if (spec?.type !== 'LoadBalancer') continue;
      const namespace = labelled.get(metadata.namespace) ?? this.#labelled(metadata.namespace);
      byKey.set(keyOf(service), { namespace, own: { labels: metadata.labels ?? {}, isComplete: true } });
    }
    this.#byKey = byKey;
    return byKey;
  }
}
