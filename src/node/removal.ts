import type { Node } from '../base/objects.ts';
import { isExcludedNode, kindOf, readinessOf } from './kind.ts';
import type { NodeSettings } from './settings.ts';

/** What this process has seen of a Node, again and again without a break. */
export interface Sighting {
  /** Of the Node: one that was made anew under the name begins anew. */
  readonly uid: string;
  /** Milliseconds by the monotonic clock: what others date, and a clock that is set, prove nothing. */
  readonly firstMs: number;
}

/** What speaks for the end of a Node. */
export interface Evidence {
  /** It was not ready. */
  readonly silence: Sighting | undefined;
  /** Complete answers of the cloud in which its instance was missing. */
  readonly absence: Sighting | undefined;
}

export interface RemovalSettings extends Pick<NodeSettings, 'regionId'> {
  /** Milliseconds for which a Node must have been seen not ready. */
  readonly graceMs: number;
  /** Milliseconds between two answers that both count. */
  readonly intervalMs: number;
}

/** What is to become of a Node whose instance is not among those that the cloud has answered. */
export type Removal =
  | { readonly kind: 'keep' }
  /** Absent now; not yet proven. */
  | { readonly kind: 'watch' }
  /** Two complete answers, an interval apart, and nothing that speaks against it. */
  | { readonly kind: 'delete' };

/**
 * Whether a Node is to be deleted (`NodeDeleteProof`). That the answer of now was complete, and not empty altogether, is the caller's
 * to know.
 */
export function removalOf(
  node: Node,
  { silence, absence }: Evidence,
  nowMs: number,
  settings: RemovalSettings,
): Removal {
  const kind = kindOf(node);
  if (kind.kind !== 'instance' || kind.providerId.regionId !== settings.regionId) return { kind: 'keep' };
  if (isExcludedNode(node) || node.metadata.deletionTimestamp !== undefined) return { kind: 'keep' };
  if (readinessOf(node).status === 'True') return { kind: 'keep' };
  const lasts = (seen: Sighting | undefined, ms: number): boolean =>
    seen?.uid === node.metadata.uid && nowMs - seen.firstMs >= ms;
  return { kind: lasts(silence, settings.graceMs) && lasts(absence, settings.intervalMs) ? 'delete' : 'watch' };
}

/** The most Nodes that one pass may delete: a tenth, but one at least. */
export const removalCap = (nodes: number): number => Math.max(1, Math.floor(nodes / 10));
