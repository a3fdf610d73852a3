import type { TaggedOwner } from './resource.ts';

/** The reason why a load balancer must not be reused. */
export type Protection = Exclude<TaggedOwner, 'user'>;

/**
 * The protections by the harm that they prevent, the greatest first. If the list is full, only the webhook and the controller protect the last
 * entries.
 */
const ORDER: readonly Protection[] = ['api-server', 'other-cluster', 'this-cluster'];
/** The most entries. A ConfigMap holds 1 MiB, and an entry takes about 50 bytes. */
const MOST_PROTECTED = 15_000;

/**
 * Returns the load balancers that admission policies protect while the webhook is down, including unknown ids from the flag. An orphan counts as this
 * cluster's while it has its tags.
 */
export function protectedLoadBalancers(
  region: Iterable<{ readonly id: string; readonly owner: TaggedOwner }>,
  named: Iterable<string>,
): Readonly<Record<string, Protection>> {
  const found = new Map<string, Protection>();
  for (const { id, owner } of region) if (owner !== 'user') found.set(id, owner);
  for (const id of named) found.set(id, 'api-server');
  return Object.fromEntries(
    [...found]
      .toSorted(([id, why], [other, whyNot]) => ORDER.indexOf(why) - ORDER.indexOf(whyNot) || (id < other ? -1 : 1))
      .slice(0, MOST_PROTECTED),
  );
}

/** Returns the merge patch that makes `found` equal `wanted`; undefined if they are equal. */
export function protectedPatch(
  wanted: Readonly<Record<string, Protection>>,
  found: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> | undefined {
  const changed = Object.entries(wanted).filter(([id, why]) => found[id] !== why);
  const removed = Object.keys(found)
    .filter((id) => !Object.hasOwn(wanted, id))
    .map((id) => [id, null] as const);
  return changed.length + removed.length === 0 ? undefined : Object.fromEntries([...changed, ...removed]);
}
