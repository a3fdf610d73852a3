import { boundedLists, EVENT_BYTES } from '../../../base/bounded-list.ts';
import { bytesIn } from '../../../base/cut.ts';
import { LOAD_BALANCER_READY } from '../../../inventory/service-conditions.ts';
import { EXCLUDE_NODE_LABELS } from '../../../node/kind.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../annotation/well-known.ts';
import { suffixOf } from '../../../annotation/keys.ts';
import { groupReference, type DesiredGroup, type SkippedBackends } from '../../../clb/model/state.ts';
import type { Service } from '../../../base/objects.ts';
import type { AppliedDefault } from '../../../policy/defaults.ts';
import type { EventRecorder, EventTarget } from '../../port.ts';

/** Writes to a Service that may fail, by the reason of their event. */
export type WriteStep =
  | 'FailedAddFinalizer'
  | 'FailedRemoveFinalizer'
  | 'FailedAddHash'
  | 'FailedRemoveHash'
  | 'FailedUpdateBinding'
  | 'FailedUpdateStatus';

/** The event reasons that users and scripts know from the existing controller, and a reason for policies, which it lacks. */
export type EventReason =
  | WriteStep
  | 'EnsuredLoadBalancer'
  | 'SyncLoadBalancerFailed'
  | 'CleanLoadBalancer'
  | 'CleanLoadBalancerFailed'
  | 'AnnotationChanged'
  | 'ServiceSpecChanged'
  | 'TypeChanged'
  | 'DeleteTimestampChanged'
  | 'UnAvailableLoadBalancer'
  | 'SkipSyncBackends'
  | 'FailedUpdateReadinessGate'
  | 'FailedSetEIPAddress'
  | 'PreservedOnDelete'
  | 'DefaultsNotApplied';

export interface ServiceEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}

const normal = (reason: EventReason, message: string): ServiceEvent => ({ type: 'Normal', reason, message });
const warning = (reason: EventReason, message: string): ServiceEvent => ({ type: 'Warning', reason, message });

/** Remarks about a load balancer that is up to date, as far as possible. */
export interface Notes {
  /** Annotations that request a zone although the load balancer has none. */
  readonly zones: readonly string[];
  /** Whether the charge type outlives its annotation. */
  readonly keepsCharge: boolean;
  readonly lacksIpv6Gate: boolean;
}

const CHARGE_KEPT =
  'it stays charged by specification although instance-charge-type was taken away, as the cloud would not change it back: write PayByCLCU to have it changed for good';
const GATE_CLOSED =
  'backend-ip-version ipv6 has no effect: add IPv6DualStack=true to featureGates in the cloud-config file';

export function ensured(id: LoadBalancerId, { zones, keepsCharge, lacksIpv6Gate }: Notes): ServiceEvent {
  const notes = [
    ...(zones.length === 0 ? [] : [`its region has no such zones, so ${zones.join(' and ')} had no effect`]),
    ...(keepsCharge ? [CHARGE_KEPT] : []),
    ...(lacksIpv6Gate ? [GATE_CLOSED] : []),
  ];
  return normal('EnsuredLoadBalancer', [`Ensured load balancer ${id}`, ...notes].join('; '));
}

export const idWithoutEffect = (id: string): ServiceEvent =>
  warning(
    'EnsuredLoadBalancer',
    `Ensured load balancer ${id}; the annotation id names the Service's own load balancer and has no effect; remove the annotation`,
  );

/** The maximum number of events for all causes of one failure; the condition names more causes. */
const MOST_EVENTS = 5;

/** Returns as few warnings as hold all causes. At the maximum, the last warning counts the remaining causes. */
function warnings(reason: EventReason, what: string, causes: readonly string[]): readonly ServiceEvent[] {
  const more = (count: number): string => `and ${count} more: see the condition ${LOAD_BALANCER_READY}`;
  const bounds = { bytes: EVENT_BYTES - bytesIn(what), more };
  return boundedLists(causes, bounds, MOST_EVENTS).map((text) => warning(reason, what + text));
}

export const syncFailed = (causes: readonly string[]): readonly ServiceEvent[] =>
  warnings('SyncLoadBalancerFailed', 'The load balancer is not as the Service asks: ', causes);

/** The prefix of violations that leave a Service ready. */
export const BUT_FOR = 'The load balancer is as the Service asks, but for what has no effect: ';

/** Returns the events of violations that leave a Service ready. */
export const withoutEffect = (causes: readonly string[]): readonly ServiceEvent[] =>
  warnings('EnsuredLoadBalancer', BUT_FOR, causes);

const CLEAN = 'Nothing of the Service is left in the cloud';

/** Returns the event of a cleanup. `unproven`: the load balancer that was created for the Service, and is kept because its tag is gone. */
export const cleaned = (unproven?: LoadBalancerId): ServiceEvent =>
  unproven === undefined
    ? normal('CleanLoadBalancer', CLEAN)
    : warning(
        'CleanLoadBalancer',
        `${CLEAN}, except load balancer ${unproven} without listeners: its tag ${WELL_KNOWN.owner.name} is gone, so it is not deleted; if you do not need it, delete it`,
      );

export const cleanFailed = (causes: readonly string[]): readonly ServiceEvent[] =>
  warnings('CleanLoadBalancerFailed', "The Service's load balancer could not be cleaned up: ", causes);

const WRITES: Readonly<Record<WriteStep, string>> = {
  FailedAddFinalizer: 'Nothing is made for the Service in the cloud while its finalizer cannot be put on',
  FailedRemoveFinalizer: 'The Service cannot go while its finalizer cannot be taken off',
  FailedAddHash: 'The labels for the existing controller cannot be written to the Service',
  FailedRemoveHash: "The controller's labels cannot be taken off the Service",
  FailedUpdateBinding: 'Nothing changes in the cloud while the LoadBalancerBinding of the Service cannot be written',
  FailedUpdateStatus: "The Service's address and condition cannot be written to its status",
};

export const writeFailed = (step: WriteStep, why: string): ServiceEvent => warning(step, `${WRITES[step]}: ${why}`);

/** Returns the event of a preserved load balancer. `isCopy`: only a webhook wrote the annotation. */
export const preserved = (id: LoadBalancerId, isCopy = false): ServiceEvent =>
  warning(
    'PreservedOnDelete',
    `Preserved load balancer ${id} because of the annotation preserve-lb-on-delete. Its listeners and server groups stay, without backends of the Service` +
      (isCopy ? COPY : ''),
  );

const COPY = `. No manifest declares ${CATALOGUE.preserveLbOnDelete.key}: it is a copy of a removed deprecated key, or a policy default. If you do not need the load balancer, delete it`;

export const handedOver = (): ServiceEvent =>
  warning(
    'PreservedOnDelete',
    'The Service was given to another controller before this one looked after it, so its load balancer is left as it is. ' +
      'To have it deleted, delete the Service or change its type; to have it served, take the class away; ' +
      'to keep it for good, take off the finalizer service.k8s.alibaba/resources',
  );

export const elasticAddressesMissing = (why: string): ServiceEvent =>
  warning('FailedSetEIPAddress', `The status says no elastic IP address: ${why}`);

export function defaultsNotApplied(defaults: readonly AppliedDefault[]): ServiceEvent {
  const named = defaults.map(({ key, value, policy }) => `${suffixOf(key)} "${value}" by LoadBalancerPolicy ${policy}`);
  return warning(
    'DefaultsNotApplied',
    `The load balancer is made without what the Service would have been given: ${named.join(', ')}; it was stored while no webhook answered, or before the policy`,
  );
}

/** Returns the event for groups without backends. `missed`: requested Node labels that no Node has; empty if there is another cause. */
export const noBackends = (groups: readonly DesiredGroup[], missed: Readonly<Record<string, string>>): ServiceEvent => {
  const labels = Object.entries(missed).map(([key, value]) => `${key}=${value}`);
  const addresses = new Set(groups.flatMap(({ unreachable = [] }) => unreachable));
  const why = [
    ...(labels.length === 0 ? [] : [`no Node that can be one has the labels of backend-label, ${labels.join(',')}`]),
    ...(addresses.size === 0 ? [] : [`addresses outside the cluster's VPC are skipped, ${[...addresses].join(', ')}`]),
  ];
  const names = groups.map(groupReference).join(', ');
  return normal('UnAvailableLoadBalancer', [`There are no backends in ${names}`, ...why].join(': '));
};

type SkippedNode = SkippedBackends['nodes'][number];

const NAMELESS = 'Nodes whose provider ID names no instance are skipped: ';
const LOST = 'Nodes that were backends are skipped, as their provider ID no longer names an instance: ';
const nodeNamed = ({ name, providerId }: SkippedNode): string => `${name} (${providerId})`;

const skipped = (what: string, nodes: readonly SkippedNode[]): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `${what}${nodes.map(nodeNamed).join(', ')}; register them again with <region>.<instance>, or exclude them with the label ${EXCLUDE_NODE_LABELS[0]}`,
  );

export const nodesSkipped = (nodes: readonly SkippedNode[]): ServiceEvent => skipped(NAMELESS, nodes);
export const backendsLost = (nodes: readonly SkippedNode[]): ServiceEvent => skipped(LOST, nodes);

/** Returns whether a message of `backendsLost` names the Node. */
export const namesLost = (message: string, node: SkippedNode): boolean =>
  message.split(LOST)[1]?.split('; ')[0]?.split(', ').includes(nodeNamed(node)) === true;

export const endpointsSkipped = (addresses: SkippedBackends['addresses']): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `Endpoints that name no Node are left out, as the traffic policy Local sends only to Nodes with pods: ${addresses.join(', ')}`,
  );

export const slicesIgnored = (slices: readonly string[]): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `Endpoints that name a pod of another namespace are ignored; remove them from EndpointSlice ${slices.join(', ')}`,
  );

export const addressesForeign = (addresses: readonly string[]): ServiceEvent =>
  normal(
    'SkipSyncBackends',
    `Addresses outside the cluster's VPC are left out, as no load balancer reaches them there: ${addresses.join(', ')}`,
  );

export const addressesMissing = (addresses: readonly string[]): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `Pods whose address no network interface in use has are left out; they are looked for again: ${addresses.join(', ')}`,
  );

export const gatesNotWritten = (why: string): ServiceEvent =>
  warning('FailedUpdateReadinessGate', `Pods could not be told that they are backends: ${why}`);

const CHANGES = {
  AnnotationChanged: 'The annotations have changed',
  ServiceSpecChanged: 'The specification has changed',
  TypeChanged: 'The Service has begun or ceased to ask for a load balancer',
  DeleteTimestampChanged: 'The Service is being deleted',
} as const satisfies Partial<Record<EventReason, string>>;

export type ChangeReason = keyof typeof CHANGES;

export const changed = (reason: ChangeReason): ServiceEvent => normal(reason, CHANGES[reason]);

const targetOf = ({ metadata: { name, namespace, uid } }: Service): EventTarget => ({
  apiVersion: 'v1',
  kind: 'Service',
  name,
  namespace,
  uid,
});

export const emit = (events: EventRecorder, service: Service, { type, reason, message }: ServiceEvent): void =>
  events.record(targetOf(service), type, reason, message);
