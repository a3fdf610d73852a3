import type { TaggedOwner } from './custom-resources.ts';

/** The owner of a load balancer that no Service may reuse. */
export type Protection = Exclude<TaggedOwner, 'user'>;

/** The owners by priority, because admission policies protect only the first `MOST_PROTECTED` load balancers. */
const ORDER: readonly Protection[] = ['api-server', 'other-cluster', 'this-cluster'];
/** The maximum number of entries in the ConfigMap, which holds 1 MiB. An entry takes about 50 bytes. */
const MOST_PROTECTED = 15_000;

/** Returns the owners of load balancers that no Service may reuse, by id. `named` has the ids of `--protected-load-balancers`. */
export function protectedLoadBalancers(
  region: Iterable<{ readonly id: string; readonly owner: TaggedOwner }>,
  named: Iterable<string>,
): Readonly<Record<string, Protection>> {
  const found = new Map<string, Protection>();
  for (const { id, owner } of region) if (owner !== 'user') found.set(id, owner);
  for (const id of named) found.set(id, 'api-server');
  return Object.fromEntries(
    [...found]
      .toSorted(([a, ownerOfA], [b, ownerOfB]) => ORDER.indexOf(ownerOfA) - ORDER.indexOf(ownerOfB) || (a < b ? -1 : 1))
      .slice(0, MOST_PROTECTED),
  );
}

/** Returns the merge patch for the data of the ConfigMap, from `found` to `wanted`. Undefined if both are equal. */
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
