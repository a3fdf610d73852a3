import type { Clock } from '../../base/clock.ts';
import type { Service } from '../../base/objects.ts';
import { PolicyCache } from '../../policy/policy-cache.ts';
import { TUNABLE } from '../../rules/index.ts';
import type { NamespaceLabels, Policies } from './read.ts';
import { createInMemoryServices } from './in-memory-services.ts';

/** What policies are put in force over. */
export interface PolicyContextParts extends Policies {
  /** Those of whose labels nothing is known are absent. */
  readonly namespaces: NamespaceLabels;
  /** What there is already, for quotas. */
  readonly services: Iterable<Service>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Policies as if they were in force, over what there is. */
export interface PolicyContext {
  readonly book: PolicyCache;
  /** From now on this Service counts. */
  add(service: Service): void;
}

/** Puts policies in force, as the webhook has them. */
export function createPolicyContext(said: PolicyContextParts): PolicyContext {
  const { policies, exceptions, namespaces, services } = said;
  const shelf = createInMemoryServices(services);
  const book = new PolicyCache({
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
