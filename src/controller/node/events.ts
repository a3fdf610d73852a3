import { providerIdText, type ProviderId } from '../../node/provider-id.ts';
import type { Node } from '../../base/kubernetes-objects.ts';
import type { Store } from '../../base/cache-interfaces.ts';
import { INDEX, type EventRecorder, type EventTarget } from '../kubernetes-interface.ts';

/** The reasons of events about Nodes. Some are those of the Alibaba Cloud Controller Manager, because scripts of users know these reasons. */
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
  /** The object to which events about all Nodes or all routes are attached. */
  readonly target: EventTarget;
}

/** Emits a warning about all Nodes or all routes. The recorder drops repetitions for ten minutes. */
export const emitForAll = ({ events, target }: NodeEventParts, reason: string, message: string): void =>
  events.record(target, 'Warning', reason, message);

/** Emits an event about a Node. */
export function emitForNode(events: EventRecorder, name: string, reason: NodeEventReason, message: string): void {
  // `kubectl describe node` searches for events whose UID is the name of the Node.
  const target = { apiVersion: 'v1', kind: 'Node', name, uid: name };
  events.record(target, NORMAL.has(reason) ? 'Normal' : 'Warning', reason, message);
}

/** Emits the event about the deletion of a Node. */
export const emitForDeletedNode = (events: EventRecorder, { metadata: { name, uid } }: Node, message: string): void =>
  // The real UID hides the event from `kubectl describe` of a later Node with this name.
  events.record({ apiVersion: 'v1', kind: 'Node', name, uid }, 'Normal', 'DeletedNode', message);

/** Emits an event about each Node whose provider ID names the same instance as that of other Nodes. At most one of them runs on the instance. */
export function emitForDuplicates(
  { nodes, events }: { readonly nodes: Store<Node>; readonly events: EventRecorder },
  providerId: ProviderId,
): void {
  const twins = nodes.byIndex(INDEX.nodesByInstance, providerIdText(providerId));
  if (twins.length < 2) return;
  const names = twins.map(({ metadata }) => metadata.name);
  for (const name of names) {
    const others = names.filter((other) => other !== name);
    const subject = others.length === 1 ? `the Node ${others.join()} has` : `the Nodes ${others.join(', ')} have`;
    const message = `${subject} the provider ID of the same instance ${providerId.instanceId}, so only the oldest responsive Node gets routes; delete the Node whose machine no longer exists`;
    emitForNode(events, name, 'NodeProviderIDAmbiguous', message);
  }
}
