import type { Node } from '../objects.ts';
import { isExcludedNode, kindOf, readinessOf } from './kind.ts';
import type { NodeSettings } from './settings.ts';

/** One complete answer of the cloud in which a Node's instance was missing. */
export interface Absence {
  /** Of the Node: one that was made anew under the name begins anew. */
  readonly uid: string;
  /** By the wall clock, in milliseconds. */
  readonly firstMs: number;
}

export interface RemovalSettings extends Pick<NodeSettings, 'regionId'> {
  /** Milliseconds for which a Node must have been not ready, and must have existed. */
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
 * Whether a Node is to be deleted (`NodeDeleteProof`). `absence` is of the first answer in a row without the instance; that this one
 * was complete, and not empty altogether, is the caller's to know.
 */
export function removalOf(node: Node, absence: Absence | undefined, nowMs: number, settings: RemovalSettings): Removal {
  const kind = kindOf(node);
  if (kind.kind !== 'instance' || kind.providerId.regionId !== settings.regionId) return { kind: 'keep' };
  if (isExcludedNode(node) || node.metadata.deletionTimestamp !== undefined) return { kind: 'keep' };
  const { status, sinceMs } = readinessOf(node);
  if (status === 'True') return { kind: 'keep' };
  const createdMs = Date.parse(node.metadata.creationTimestamp ?? '');
  const youngestMs = Math.max(createdMs, sinceMs ?? createdMs);
  // Ages that cannot be told are no proof.
  if (!(nowMs - youngestMs >= settings.graceMs)) return { kind: 'watch' };
  const isProven = absence?.uid === node.metadata.uid && nowMs - absence.firstMs >= settings.intervalMs;
  return { kind: isProven ? 'delete' : 'watch' };
}

/** The most Nodes that one pass may delete: a tenth, but one at least. */
export const removalCap = (nodes: number): number => Math.max(1, Math.floor(nodes / 10));
