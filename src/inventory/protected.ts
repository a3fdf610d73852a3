import type { TaggedOwner } from './resource.ts';

/** Why a load balancer may not be reused. */
export type Protection = Exclude<TaggedOwner, 'user'>;

/** Those that do most harm first: where there are too many, the last ones are left to the webhook and the controller. */
const ORDER: readonly Protection[] = ['api-server', 'other-cluster', 'this-cluster'];
/** A ConfigMap holds 1 MiB, and a key with its value takes some 50 bytes. */
const MOST_PROTECTED = 15_000;

/**
 * What admission policies protect while the webhook is away: also load balancers named by a flag that are not there. An orphan stays
 * protected as one of this cluster, for as long as it has its tags.
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

/** The merge patch that makes `found` hold exactly these; undefined when it does already. */
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
