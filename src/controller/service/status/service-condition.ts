import { boundedList, CONDITION_BYTES } from '../../../base/bounded-list-text.ts';
import { skippedBackendsOf } from '../../../clb/desired/server-group.ts';
import type { Present, WantedResources } from '../../../clb/model/desired-and-observed-state.ts';
import { amended, messageOf, PortcullisError } from '../../../base/errors.ts';
import type { BlockedChange } from './load-balancer-change-message.ts';
import { readyMessage, reasonsOf, type BlockedActions } from './condition-messages.ts';
import { isConditionUpToDate, type ReadinessState } from './condition-patch.ts';
import {
  addressesOutsideVpc,
  addressesMissing,
  endpointsSkipped,
  nodesSkipped,
  syncFailed,
  withoutEffect,
  type ServiceEvent,
} from './events.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import { ServiceWriteError } from '../state/service-writes.ts';

/** Returns the message of a failure, with the request id for a support ticket. */
export const causeOf = (error: unknown): string =>
  error instanceof PortcullisError && error.requestId !== undefined && !error.message.includes(error.requestId)
    ? `${error.message} (request ${error.requestId})`
    : messageOf(error);

/** Returns a failure with the reasons of blocked actions, so that users see all problems at once. */
export function failureWith(blocked: BlockedActions['blocked'], error: unknown): unknown {
  const reasons = reasonsOf(blocked);
  if (!(error instanceof PortcullisError) || error instanceof ServiceWriteError || reasons.length === 0) return error;
  return amended(error, { otherCauses: [...new Set([...error.otherCauses, ...reasons])] });
}

/** Returns the reasons of a denial in the form of blocked actions. */
export const blockedFor = (reasons: readonly string[]): BlockedActions['blocked'] =>
  reasons.map((reason) => ({ rule: 'Denied', reason }));

/** Returns all causes of a failure, one sentence each. */
export const causesOf = (error: unknown): readonly string[] => [
  causeOf(error),
  ...(error instanceof PortcullisError ? error.otherCauses : []),
];

const notReady = (reason: string, causes: readonly string[]): ReadinessState => ({
  status: 'False',
  reason,
  message: boundedList(causes, { bytes: CONDITION_BYTES }).text,
});

/** Returns the condition of a Service after a failure. */
export const readinessStateAfter = (error: unknown): ReadinessState =>
  notReady(error instanceof PortcullisError ? error.reason : 'Bug', causesOf(error));

/** Returns the condition of a Service whose load balancer is up to date. */
const ready = (ineffective: readonly string[]): ReadinessState => ({
  status: 'True',
  reason: 'EnsuredLoadBalancer',
  message: readyMessage(ineffective),
});

type Groups = Pick<Present | WantedResources, 'groups'>;

/** Returns the events about skipped Nodes and endpoints. */
export function skippedIn({ groups }: Groups): readonly ServiceEvent[] {
  const { addresses } = skippedBackendsOf(groups);
  // A port with other backends is served, so only the condition of the skipped Node itself reports the Node.
  const { nodes } = skippedBackendsOf(groups.filter(({ backends }) => backends.length === 0));
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
export function skippedEvents(desired: Groups, missing: ReadonlySet<string>): readonly ServiceEvent[] {
  const unreachable = unreachableIn(desired);
  return [
    ...skippedIn(desired),
    ...(missing.size === 0 ? [] : [addressesMissing([...missing].sort())]),
    ...(unreachable.length === 0 ? [] : [addressesOutsideVpc(unreachable)]),
  ];
}

/** The problems of a Service, except problems of its backends. */
export interface Trouble {
  /** The explanation why the requested load balancer does not serve the Service. */
  readonly change: BlockedChange | undefined;
  readonly reasons: readonly string[];
  /** The reason of the condition if `reasons` is not empty. */
  readonly conditionReason: string;
  /** Violations without effect on the load balancer, which leave the Service ready, one sentence each. */
  readonly ineffective: readonly string[];
}

/** Returns all problems that keep the Service from being ready, one sentence each. */
export const causesIn = ({ change, reasons }: Trouble): readonly string[] =>
  change === undefined ? reasons : [change.message, ...reasons];

/** Returns the condition of a Service with its problems and skipped backends. */
export function readinessStateOf(trouble: Trouble, skipped: readonly ServiceEvent[]): ReadinessState {
  const { change, reasons, conditionReason, ineffective } = trouble;
  // Skipped backends come first, because caches keep only the beginning of a long message (`condition-message-key.ts`).
  const causes = [...skipped.map(({ message }) => message), ...causesIn(trouble)];
  if (causes.length === 0) return ready(ineffective);
  const all = [...causes, ...ineffective];
  if (change !== undefined) return notReady(change.reason, all);
  return notReady(reasons.length === 0 ? 'InvalidBackend' : conditionReason, all);
}

/** Returns the events about the problems; none if the condition already shows the problems. */
export function eventsOf(service: Service, readiness: ReadinessState, trouble: Trouble): readonly ServiceEvent[] {
  if (isConditionUpToDate(service, readiness)) return [];
  const { ineffective } = trouble;
  const causes = causesIn(trouble);
  return causes.length === 0 ? withoutEffect(ineffective) : syncFailed([...causes, ...ineffective]);
}
