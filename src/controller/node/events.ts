import { providerIdText, type ProviderId } from '../../node/provider-id.ts';
import type { Node } from '../../base/objects.ts';
import type { Store } from '../../base/store.ts';
import { INDEX, type EventRecorder, type EventTarget } from '../port.ts';

/** The reasons that users and scripts know from the existing controller, and reasons for new cases. */
export type NodeEventReason =
  | 'InitializedNode'
  | 'AddNodeFailed'
  | 'SyncNodeFailed'
  | 'DeletedNode'
  | 'DeleteNodeFailed'
  | 'CreatedRoute'
  | 'CreateRouteFailed'
  | 'NodeProviderIDSet'
  | 'NodeProviderIDAmbiguous'
  | 'NodeRemovalSuppressed'
  | 'CloudPermissionDenied'
  | 'RouteConflict'
  | 'RouteQuotaExceeded';

const NORMAL: ReadonlySet<NodeEventReason> = new Set([
  'InitializedNode',
  'DeletedNode',
  'CreatedRoute',
  'NodeProviderIDSet',
]);

export interface NodeEventParts {
  readonly events: EventRecorder;
  /** The object of events about all Nodes or all routes. */
  readonly target: EventTarget;
}

/** Emits a warning about all Nodes once. Repetitions of the same message are dropped for a while. */
export const emitForAll = ({ events, target }: NodeEventParts, reason: string, message: string): void =>
  events.record(target, 'Warning', reason, message);

/** Emits an event about a Node with its name as UID, as the kubelet does, because `kubectl describe node` searches for that UID. */
export function emitForNode(events: EventRecorder, name: string, reason: NodeEventReason, message: string): void {
  const target = { apiVersion: 'v1', kind: 'Node', name, uid: name };
  events.record(target, NORMAL.has(reason) ? 'Normal' : 'Warning', reason, message);
}

/** Emits the deletion of a Node under its real UID, so that a later Node with the same name does not show the event. */
export const emitForDeletedNode = (events: EventRecorder, { metadata: { name, uid } }: Node, message: string): void =>
  events.record({ apiVersion: 'v1', kind: 'Node', name, uid }, 'Normal', 'DeletedNode', message);

/** Emits an event on each Node if several Nodes name the instance. At most one of them is right. */
export function emitForDuplicates(
  { nodes, events }: { readonly nodes: Store<Node>; readonly events: EventRecorder },
  providerId: ProviderId,
): void {
  const twins = nodes.byIndex(INDEX.nodesByInstance, providerIdText(providerId));
  if (twins.length < 2) return;
  const names = twins.map(({ metadata }) => metadata.name);
  for (const name of names) {
    const others = names.filter((other) => other !== name);
    const subject = others.length === 1 ? `the Node ${others.join()} names` : `the Nodes ${others.join(', ')} name`;
    const message = `${subject} the same instance ${providerId.instanceId}, so only the oldest responsive Node gets routes; delete the Node whose machine no longer exists`;
    emitForNode(events, name, 'NodeProviderIDAmbiguous', message);
  }
}
