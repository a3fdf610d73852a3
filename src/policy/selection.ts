import type { Service } from '../objects.ts';
import type { PolicyBook } from './book.ts';
import type { Exception } from './exceptions.ts';
import type { Labels, Selector } from './selector.ts';

const NONE: readonly Labels[] = [];

/** The labels of the Services of type LoadBalancer that are stored, by namespace; put together when they are asked for first. */
export class StoredLabels {
  readonly #services: Iterable<Service>;
  #byNamespace: ReadonlyMap<string, readonly Labels[]> | undefined;

  constructor(services: Iterable<Service>) {
    this.#services = services;
  }

  /** Whether one of the Services of these namespaces is selected. */
  hasOne(namespaces: readonly string[], selector: Selector): boolean {
    const byNamespace = (this.#byNamespace ??= labelsOf(this.#services));
    const isSelected = (labels: Labels): boolean => selector({ labels, isComplete: true }) === true;
    return namespaces.some((namespace) => (byNamespace.get(namespace) ?? NONE).some(isSelected));
  }
}

function labelsOf(services: Iterable<Service>): ReadonlyMap<string, readonly Labels[]> {
  const byNamespace = new Map<string, Labels[]>();
  for (const { metadata, spec } of services) {
    if (spec?.type !== 'LoadBalancer') continue;
    const known = byNamespace.get(metadata.namespace);
    if (known === undefined) byNamespace.set(metadata.namespace, [metadata.labels ?? {}]);
    else known.push(metadata.labels ?? {});
  }
  return byNamespace;
}

/** The namespaces, of these, in which an exception for Services may be for some. */
export function namespacesOf(
  { namespace, selection }: Exception,
  namespaces: readonly string[],
  book: PolicyBook,
): readonly string[] {
  if (namespace !== undefined) return [namespace];
  const selector = selection?.namespaces;
  return selector === undefined ? namespaces : namespaces.filter((name) => selector(book.labelled(name)) === true);
}
