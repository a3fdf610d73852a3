import { isDenied, messageOf, PortcullisError, type Reason } from '../../base/errors.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import type { Node } from '../../base/kubernetes-objects.ts';
import { emitForAll, emitForNode, type NodeEventParts } from './events.ts';

/** The reasons of temporary failures. Events report such a failure only if a Node stays uninitialized for a minute. */
const TEMPORARY: ReadonlySet<Reason> = new Set(['Conflict', 'Throttled', 'Busy']);
const PATIENCE_MS = 60_000;

/** The reasons that concern all Nodes. One event reports such a failure for all Nodes. */
const CLUSTER_WIDE: ReadonlySet<Reason> = new Set([
  'Unauthorized',
  'Forbidden',
  'Unavailable',
  'Throttled',
  'InvalidConfiguration',
]);

/** Emits an event about a failed reconcile. `sinceMs` is the time since the first of the Node's consecutive failures. */
export function emitFailure(parts: NodeEventParts, node: Node, error: unknown, sinceMs = 0): void {
  const { name } = node.metadata;
  const isNew = hasTaint(node, UNINITIALIZED);
  const isKnown = error instanceof PortcullisError;
  if (isKnown && mayPass(error, isNew ? sinceMs : 0)) return;
  const cause = isKnown && error.cause instanceof PortcullisError ? error.cause : error;
  if (cause instanceof PortcullisError && mayConcernAll(cause) && CLUSTER_WIDE.has(cause.reason))
    emitForAll(parts, isDenied(cause) ? 'CloudPermissionDenied' : 'SyncNodeFailed', messageOf(error));
  else emitForNode(parts.events, name, isNew ? 'AddNodeFailed' : 'SyncNodeFailed', messageOf(error));
}

/** Returns whether a failure needs no event: another process now leads, or the failure may end soon. */
const mayPass = ({ reason }: PortcullisError, sinceMs: number): boolean =>
  reason === 'LostLeadership' || (TEMPORARY.has(reason) && sinceMs < PATIENCE_MS);

/** Returns false if the code is an HTTP status: the API server sent the error, which concerns one Node. */
const mayConcernAll = ({ code }: PortcullisError): boolean => Number.isNaN(Number(code ?? 'none'));
