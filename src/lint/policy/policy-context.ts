import type { Clock } from '../../base/clock.ts';
import type { Service } from '../../base/objects.ts';
import { PolicyBook } from '../../policy/policy-cache.ts';
import { TUNABLE } from '../../rules/index.ts';
import type { NamespaceLabels, Policies } from './read.ts';
import { createShelf } from './in-memory-services.ts';

/** What policies are put in force over. */
export interface WorldSaid extends Policies {
  /** Those of whose labels nothing is known are absent. */
  readonly namespaces: NamespaceLabels;
  /** What there is already, for quotas. */
  readonly services: Iterable<Service>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Policies as if they were in force, over what there is. */
export interface World {
  readonly book: PolicyBook;
  /** From now on this Service counts. */
  add(service: Service): void;
}

/** Puts policies in force, as the webhook has them. */
export function createWorld(said: WorldSaid): World {
  const { policies, exceptions, namespaces, services } = said;
  const shelf = createShelf(services);
  const book = new PolicyBook({
    ...said,
    tunable: TUNABLE,
    labelsOf: (namespace) => namespaces.get(namespace),
    services: shelf,
    warnOnly: false,
  });
  for (const policy of policies) book.putPolicy(policy);
  for (const exception of exceptions) book.putException(exception);
  return { book, add: (service) => shelf.put(service) };
}
