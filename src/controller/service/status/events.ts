import { boundedLists, EVENT_BYTES } from '../../../base/bounded-list-text.ts';
import { bytesIn } from '../../../base/cut-text.ts';
import { LOAD_BALANCER_READY } from '../../../inventory/load-balancer-ready-condition.ts';
import { EXCLUDE_NODE_LABELS } from '../../../node/kind.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import { CATALOGUE } from '../../../annotation/catalogue.ts';
import { WELL_KNOWN } from '../../../annotation/well-known-names.ts';
import { suffixOf } from '../../../annotation/keys.ts';
import {
  groupReference,
  type DesiredGroup,
  type SkippedBackends,
} from '../../../clb/model/desired-and-observed-state.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { AppliedDefault } from '../../../policy/annotation-defaults.ts';
import { BUT_FOR } from './condition-messages.ts';
import type { EventRecorder, EventTarget } from '../../kubernetes-interface.ts';

/** The writes to a Service or its binding, by the event reason of their failure. */
export type WriteStep =
  | 'FailedAddFinalizer'
  | 'FailedRemoveFinalizer'
  | 'FailedAddHash'
  | 'FailedRemoveHash'
  | 'FailedUpdateBinding'
  | 'FailedUpdateStatus';

/**
 * The reasons of events about Services. Most are those of the Alibaba Cloud Controller Manager (the existing controller), which users and scripts
 * know.
 */
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

/** An event about a Service, as `kubectl describe service` shows it. */
export interface ServiceEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}

const normal = (reason: EventReason, message: string): ServiceEvent => ({ type: 'Normal', reason, message });
const warning = (reason: EventReason, message: string): ServiceEvent => ({ type: 'Warning', reason, message });

/** Annotations without effect on a load balancer that is otherwise up to date. */
export interface Notes {
  /** Annotations that request a zone, although the region of the load balancer has no primary and secondary zones. */
  readonly zones: readonly string[];
  /** True if PayBySpec continues after the user removed `instance-charge-type`. */
  readonly keepsCharge: boolean;
  /** The disabled feature gates that make a request for IPv6 backends ineffective. */
  readonly missingIpv6Gates: readonly string[];
}

const CHARGE_KEPT =
  'billing by specification continues without instance-charge-type, because a change to the default PayByCLCU would be final; to change, set instance-charge-type to PayByCLCU';
const gatesOff = (gates: readonly string[]): string =>
  `backend-ip-version ipv6 has no effect while a feature gate is off; set ${gates.map((gate) => `${gate}=true`).join(',')} in featureGates of the cloud-config file`;

export function ensured(id: LoadBalancerId, { zones, keepsCharge, missingIpv6Gates }: Notes): ServiceEvent {
  const notes = [
    ...(zones.length === 0 ? [] : [`ignored ${zones.join(' and ')}, because the region has no such zones`]),
    ...(keepsCharge ? [CHARGE_KEPT] : []),
    ...(missingIpv6Gates.length === 0 ? [] : [gatesOff(missingIpv6Gates)]),
  ];
  return normal('EnsuredLoadBalancer', [`Ensured load balancer ${id}`, ...notes].join('; '));
}

export const idWithoutEffect = (id: string): ServiceEvent =>
  warning(
    'EnsuredLoadBalancer',
    `Ensured load balancer ${id}; the annotation id has no effect, because the load balancer was created for this Service; remove the annotation`,
  );

/** The maximum number of events for all causes of one failure; the condition names more causes. */
const MOST_EVENTS = 5;

/** Returns as few warnings as possible for all causes, but at most `MOST_EVENTS`. The last warning counts the remaining causes. */
function warnings(reason: EventReason, what: string, causes: readonly string[]): readonly ServiceEvent[] {
  const more = (count: number): string => `and ${count} more: see the condition ${LOAD_BALANCER_READY}`;
  const bounds = { bytes: EVENT_BYTES - bytesIn(what), more };
  return boundedLists(causes, bounds, MOST_EVENTS).map((text) => warning(reason, what + text));
}

export const syncFailed = (causes: readonly string[]): readonly ServiceEvent[] =>
  warnings('SyncLoadBalancerFailed', 'Failed to sync load balancer: ', causes);

/** Returns the events of violations that leave a Service ready. */
export const withoutEffect = (causes: readonly string[]): readonly ServiceEvent[] =>
  warnings('EnsuredLoadBalancer', BUT_FOR, causes);

const CLEAN = 'Deleted load balancer resources';

/** Returns the event of a cleanup. `unproven` is the owned load balancer that stays because its owner tag is missing. */
export const cleaned = (unproven?: LoadBalancerId): ServiceEvent =>
  unproven === undefined
    ? normal('CleanLoadBalancer', CLEAN)
    : warning(
        'CleanLoadBalancer',
        `${CLEAN}. Load balancer ${unproven} remains, without listeners, because its tag ${WELL_KNOWN.owner.name} is missing. If you do not need the load balancer, delete it`,
      );

export const cleanFailed = (causes: readonly string[]): readonly ServiceEvent[] =>
  warnings('CleanLoadBalancerFailed', 'Failed to clean up load balancer: ', causes);

const WRITES: Readonly<Record<WriteStep, string>> = {
  FailedAddFinalizer: 'Failed to add finalizer, so nothing is created in the cloud',
  FailedRemoveFinalizer: 'Failed to remove finalizer',
  FailedAddHash: 'Failed to add labels for the Alibaba Cloud Controller Manager',
  FailedRemoveHash: 'Failed to remove labels for the Alibaba Cloud Controller Manager',
  FailedUpdateBinding: 'Failed to update LoadBalancerBinding, so nothing is created or deleted in the cloud',
  FailedUpdateStatus: 'Failed to update address and condition in the status',
};

export const writeFailed = (step: WriteStep, why: string): ServiceEvent => warning(step, `${WRITES[step]}: ${why}`);

/** Returns the event of a preserved load balancer. `isCopy` means that only a webhook wrote the annotation. */
export const preserved = (id: LoadBalancerId, isCopy = false): ServiceEvent =>
  warning(
    'PreservedOnDelete',
    `Preserved load balancer ${id} because of the annotation preserve-lb-on-delete. Its listeners and server groups remain, without backends of the Service` +
      (isCopy ? COPY : ''),
  );

const COPY = `. No manifest declares ${CATALOGUE.preserveLbOnDelete.key}: it is a copy of a removed deprecated key, or a policy default. If you do not need the load balancer, delete it`;

export const handedOver = (): ServiceEvent =>
  warning(
    'PreservedOnDelete',
    'Another controller manages this Service, and Portcullis has never managed its load balancer, so the load balancer is unchanged. ' +
      'To delete the load balancer, delete the Service or change its type. To let Portcullis manage the load balancer, remove the load balancer class. ' +
      'To keep the load balancer permanently, remove the finalizer service.k8s.alibaba/resources',
  );

export const elasticAddressesMissing = (why: string): ServiceEvent =>
  warning('FailedSetEIPAddress', `Failed to publish elastic IP addresses: ${why}`);

export function defaultsNotApplied(defaults: readonly AppliedDefault[]): ServiceEvent {
  const named = defaults.map(({ key, value, policy }) => `${suffixOf(key)} "${value}" by LoadBalancerPolicy ${policy}`);
  return warning(
    'DefaultsNotApplied',
    `Creating the load balancer without policy defaults: ${named.join(', ')}. The Service was stored while the webhook was unavailable, or before the policy existed. If you need the values, add them to the Service`,
  );
}

/** Returns the event for groups without backends. `missed` contains requested labels that no Node has; empty for other causes. */
export const noBackends = (groups: readonly DesiredGroup[], missed: Readonly<Record<string, string>>): ServiceEvent => {
  const labels = Object.entries(missed).map(([key, value]) => `${key}=${value}`);
  const addresses = new Set(groups.flatMap(({ unreachable = [] }) => unreachable));
  const why = [
    ...(labels.length === 0
      ? []
      : [`no eligible Node has the labels ${labels.join(',')}; label Nodes, or change the annotation backend-label`]),
    ...(addresses.size === 0 ? [] : [`skipped addresses outside the VPC of the cluster: ${[...addresses].join(', ')}`]),
  ];
  const names = groups.map(groupReference).join(', ');
  const suffix = why.length === 0 ? '' : `: ${why.join('; ')}`;
  return normal('UnAvailableLoadBalancer', `There are no backends in ${names}${suffix}`);
};

type SkippedNode = SkippedBackends['nodes'][number];

const NAMELESS = 'Skipped Nodes whose provider ID names no instance: ';
const nodeNamed = ({ name, providerId }: SkippedNode): string => `${name} (${providerId})`;

export const nodesSkipped = (nodes: readonly SkippedNode[]): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `${NAMELESS}${nodes.map(nodeNamed).join(', ')}; register the Nodes again with the provider ID <region>.<instance>, or exclude the Nodes with the label ${EXCLUDE_NODE_LABELS[0]}`,
  );

export const endpointsSkipped = (addresses: SkippedBackends['addresses']): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `Skipped endpoints without a Node, because externalTrafficPolicy Local sends traffic only to Nodes with pods: ${addresses.join(', ')}`,
  );

export const slicesIgnored = (slices: readonly string[]): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `Skipped endpoints that name a pod of another namespace; remove the endpoints from EndpointSlice ${slices.join(', ')}`,
  );

export const addressesOutsideVpc = (addresses: readonly string[]): ServiceEvent =>
  normal(
    'SkipSyncBackends',
    `Skipped addresses outside the VPC of the cluster, which the load balancer cannot reach: ${addresses.join(', ')}`,
  );

export const addressesMissing = (addresses: readonly string[]): ServiceEvent =>
  warning(
    'SkipSyncBackends',
    `Skipped pods whose address is on no network interface in use; the controller looks up the addresses again: ${addresses.join(', ')}`,
  );

export const gatesNotWritten = (why: string): ServiceEvent =>
  warning('FailedUpdateReadinessGate', `Failed to update the readiness gates of pods: ${why}`);

const CHANGES = {
  AnnotationChanged: 'The annotations changed',
  ServiceSpecChanged: 'The specification changed',
  TypeChanged: 'The Service started or stopped requesting a load balancer',
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
