import { unplacedOf } from '../../../clb/desired-group.ts';
import type { Present, Wanted } from '../../../clb/state.ts';
import { amended, messageOf, PortcullisError } from '../../../errors.ts';
import { reasonsOf, type Shortfall } from './complaints.ts';
import type { Standing } from './condition.ts';
import { addressesForeign, addressesMissing, endpointsSkipped, nodesSkipped, type ServiceEvent } from '../events.ts';
import { ServiceWriteError } from '../write.ts';

/** The cause of a failure, and what to quote in a support ticket. */
export const causeOf = (error: unknown): string =>
  error instanceof PortcullisError && error.requestId !== undefined && !error.message.includes(error.requestId)
    ? `${error.message} (request ${error.requestId})`
    : messageOf(error);

/** A failure of the cloud, which also says what was withheld when it came: people have to mend both. */
export function failureBeside(withheld: Shortfall['withheld'], error: unknown): unknown {
  const reasons = reasonsOf(withheld);
  if (!(error instanceof PortcullisError) || error instanceof ServiceWriteError || reasons.length === 0) return error;
  return amended(error, { message: [causeOf(error), ...reasons].join('; ') });
}

/** Returns what is not done of a Service because the rules deny it. */
export const withheldFor = (reasons: readonly string[]): Shortfall['withheld'] =>
  reasons.map((reason) => ({ rule: 'Refused', reason }));

/** What the Service says of itself when nothing is wrong. */
const GOOD: Standing = {
  status: 'True',
  reason: 'EnsuredLoadBalancer',
  message: 'The load balancer is as the Service asks',
};

type Groups = Pick<Present | Wanted, 'groups'>;

type HadInstance = (node: string) => boolean;

/**
 * Returns events for skipped backends, with the reason. A Node without an instance has its own condition: the Service reports it only if
 * the Node had an instance before, or if a port has no other backend.
 */
export function skippedIn({ groups }: Groups, hadInstance: HadInstance): readonly ServiceEvent[] {
  const { addresses } = unplacedOf(groups);
  const bare = new Set(
    unplacedOf(groups.filter(({ backends }) => backends.length === 0)).nodes.map(({ name }) => name),
  );
  const nodes = unplacedOf(groups).nodes.filter(({ name }) => bare.has(name) || hadInstance(name));
  return [
    ...(nodes.length === 0 ? [] : [nodesSkipped(nodes)]),
    ...(addresses.length === 0 ? [] : [endpointsSkipped(addresses)]),
  ];
}

/** Returns the addresses outside the VPC for ports without other backends. */
const unreachableIn = ({ groups }: Groups): readonly string[] => {
  const bare = groups.filter(({ backends }) => backends.length === 0);
  return [...new Set(bare.flatMap(({ unreachable = [] }) => unreachable))].sort();
};

/** Returns events for all skipped backends, including pods whose address was not found or is outside the VPC. */
export function leftOut(
  desired: Groups,
  missing: ReadonlySet<string>,
  hadInstance: HadInstance,
): readonly ServiceEvent[] {
  const unreachable = unreachableIn(desired);
  return [
    ...skippedIn(desired, hadInstance),
    ...(missing.size === 0 ? [] : [addressesMissing([...missing].sort())]),
    ...(unreachable.length === 0 ? [] : [addressesForeign(unreachable)]),
  ];
}

/** What the Service says of itself, given all that is wrong and what is left out of its backends. */
export function standingOf(wrong: readonly string[], word: string, left: readonly ServiceEvent[]): Standing {
  const all = [...wrong, ...left.map(({ message }) => message)];
  if (all.length === 0) return GOOD;
  return { status: 'False', reason: wrong.length === 0 ? 'InvalidBackend' : word, message: all.join('; ') };
}
