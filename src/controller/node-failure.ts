import { messageOf, PortcullisError, type Reason } from '../errors.ts';
import { hasTaint, UNINITIALIZED } from '../node/taints.ts';
import type { Node } from '../objects.ts';
import { tellOfAll, tellOfNode, type TellOfAllParts } from './node-events.ts';

/** What passes by itself in a moment, or is nothing of the Node's: the log has it. */
const UNTOLD: ReadonlySet<Reason> = new Set(['Conflict', 'LostLeadership', 'Throttled', 'Busy']);

/**
 * What the cloud has against a call is the same for all Nodes, whichever of them it was made for, and so is what is wrong with the
 * configuration: it is told once, and not of each.
 */
const OF_ALL: ReadonlySet<Reason> = new Set(['Unauthorized', 'Unavailable', 'InvalidConfiguration']);

/** Tells why a Node could not be looked after. */
export function tellOfFailure(parts: TellOfAllParts, node: Node, error: unknown): void {
  const { name } = node.metadata;
  const isOurs = error instanceof PortcullisError;
  if (isOurs && UNTOLD.has(error.reason)) return;
  const cause = isOurs && error.cause instanceof PortcullisError ? error.cause : error;
  if (cause instanceof PortcullisError && isOfCloud(cause) && OF_ALL.has(cause.reason))
    tellOfAll(parts, cause.reason === 'Unauthorized' ? 'CloudPermissionDenied' : 'SyncNodeFailed', messageOf(error));
  else
    tellOfNode(
      parts.events,
      name,
      hasTaint(node, UNINITIALIZED) ? 'AddNodeFailed' : 'SyncNodeFailed',
      messageOf(error),
    );
}

/** The API server's refusals have the status of the answer for their code. */
const isOfCloud = ({ code }: PortcullisError): boolean => Number.isNaN(Number(code ?? 'none'));
