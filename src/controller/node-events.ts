import type { Node } from '../objects.ts';
import type { EventRecorder } from './port.ts';

/** The reasons that people and scripts know from the existing controller, and those of what it has no word for. */
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

/** Tells something of a Node. Its name stands for its UID, as the kubelet has it: `kubectl describe node` looks for that. */
export function tellOfNode(events: EventRecorder, name: string, reason: NodeEventReason, message: string): void {
  const target = { apiVersion: 'v1', kind: 'Node', name, uid: name };
  events.record(target, NORMAL.has(reason) ? 'Normal' : 'Warning', reason, message);
}

/** Tells of a Node's end under its real UID, so that it is told apart from the next of its name. */
export const tellOfDeletedNode = (events: EventRecorder, { metadata: { name, uid } }: Node, message: string): void =>
  events.record({ apiVersion: 'v1', kind: 'Node', name, uid }, 'Normal', 'DeletedNode', message);
