import { isDenied, messageOf, PortcullisError, type Reason } from '../../base/errors.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import type { Node } from '../../base/objects.ts';
import { emitForAll, emitForNode, type NodeEventParts } from './events.ts';

/** Temporary reasons. They are logged, and reported to users only if a Node stays uninitialised for longer. */
const PASSING: ReadonlySet<Reason> = new Set(['Conflict', 'Throttled', 'Busy']);
const PATIENCE_MS = 60_000;

/**
 * Reasons that concern all Nodes: errors of the cloud for any call, and errors of the configuration. They are reported once and not for each Node.
 */
const OF_ALL: ReadonlySet<Reason> = new Set([
  'Unauthorized',
  'Forbidden',
  'Unavailable',
  'Throttled',
  'InvalidConfiguration',
]);

/** Emits an event about a failed reconcile, unless the failure may pass. The Node has failed for `sinceMs` milliseconds. */
export function emitFailure(parts: NodeEventParts, node: Node, error: unknown, sinceMs = 0): void {
  const { name } = node.metadata;
  const isNew = hasTaint(node, UNINITIALIZED);
  const isOurs = error instanceof PortcullisError;
  if (isOurs && mayPass(error, isNew ? sinceMs : 0)) return;
  const cause = isOurs && error.cause instanceof PortcullisError ? error.cause : error;
  if (cause instanceof PortcullisError && isOfCloud(cause) && OF_ALL.has(cause.reason))
    emitForAll(parts, isDenied(cause) ? 'CloudPermissionDenied' : 'SyncNodeFailed', messageOf(error));
  else emitForNode(parts.events, name, isNew ? 'AddNodeFailed' : 'SyncNodeFailed', messageOf(error));
}

/** Returns whether the failure needs no event: another process leads and reports it, or it may pass soon. */
const mayPass = ({ reason }: PortcullisError, sinceMs: number): boolean =>
  reason === 'LostLeadership' || (PASSING.has(reason) && sinceMs < PATIENCE_MS);

/** Returns whether the cloud caused the error. Errors of the API server have a number, the HTTP status, as their code. */
const isOfCloud = ({ code }: PortcullisError): boolean => Number.isNaN(Number(code ?? 'none'));
