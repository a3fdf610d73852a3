import { isDenied, messageOf, PortcullisError, type Reason } from '../../base/errors.ts';
import { hasTaint, UNINITIALIZED } from '../../node/taints.ts';
import type { Node } from '../../base/objects.ts';
import { emitForAll, emitForNode, type NodeEventParts } from './events.ts';

/** What passes by itself in a moment. The log has it, and people are told when it keeps a Node closed for longer. */
const PASSING: ReadonlySet<Reason> = new Set(['Conflict', 'Throttled', 'Busy']);
const PATIENCE_MS = 60_000;

/**
 * What the cloud has against a call is the same for all Nodes, whichever of them it was made for, and so is what is wrong with the
 * configuration: it is told once, and not of each.
 */
const OF_ALL: ReadonlySet<Reason> = new Set([
  'Unauthorized',
  'Forbidden',
  'Unavailable',
  'Throttled',
  'InvalidConfiguration',
]);

/** Tells why a Node could not be looked after, if anybody has to know; for `sinceMs` milliseconds that has failed. */
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

/** Whether nobody has to know: another process leads now and says what is to be said, or it is over soon. */
const mayPass = ({ reason }: PortcullisError, sinceMs: number): boolean =>
  reason === 'LostLeadership' || (PASSING.has(reason) && sinceMs < PATIENCE_MS);

/** The API server's refusals have the status of the answer for their code. */
const isOfCloud = ({ code }: PortcullisError): boolean => Number.isNaN(Number(code ?? 'none'));
