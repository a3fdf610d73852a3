import { providerIdText, type ProviderId } from '../../node/provider-id.ts';
import type { Node } from '../../base/objects.ts';
import type { Store } from '../../base/store.ts';
import { INDEX, type EventRecorder, type EventTarget } from '../port.ts';

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

export interface NodeEventParts {
  readonly events: EventRecorder;
  /** What is told of all Nodes, or of all routes, is told of this. */
  readonly target: EventTarget;
}

/** Tells of something that concerns all, once for all of them: the same words of the same thing are said once in a while. */
export const emitForAll = ({ events, target }: NodeEventParts, reason: string, message: string): void =>
  events.record(target, 'Warning', reason, message);

/** Tells something of a Node. Its name stands for its UID, as the kubelet has it: `kubectl describe node` looks for that. */
export function emitForNode(events: EventRecorder, name: string, reason: NodeEventReason, message: string): void {
  const target = { apiVersion: 'v1', kind: 'Node', name, uid: name };
  events.record(target, NORMAL.has(reason) ? 'Normal' : 'Warning', reason, message);
}

/** Tells of a Node's end under its real UID, so that it is told apart from the next of its name. */
export const emitForDeletedNode = (events: EventRecorder, { metadata: { name, uid } }: Node, message: string): void =>
  events.record({ apiVersion: 'v1', kind: 'Node', name, uid }, 'Normal', 'DeletedNode', message);

/** Tells all Nodes that name the instance of each other, where there are several: every one but one is a left-over. */
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
    const message = `${subject} the same instance ${providerId.instanceId}: delete the Node whose machine is gone; only the older one of those that are heard of gets routes`;
    emitForNode(events, name, 'NodeProviderIDAmbiguous', message);
  }
}
