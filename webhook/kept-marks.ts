import type { Service } from '../src/objects.ts';
import { addedTo } from './added.ts';
import type { PatchOperation } from './review.ts';
import { droppedLabels, FINALIZER, heldAgain, isUnheldBy, MARK_LABELS } from './rules/engine/marks.ts';
import { wantsLoadBalancer } from './rules/engine/subject.ts';
import { isManifest } from './writer.ts';

const FINALIZERS = '/metadata/finalizers';

/** A Service with the marks that it keeps, and the operations that put them back. */
export interface Kept {
  readonly object: Service;
  readonly operations: readonly PatchOperation[];
}

const isMarked = ({ metadata: { labels } }: Service): boolean =>
  labels !== undefined && MARK_LABELS.some((label) => label in labels);

/**
 * Whether a write takes the finalizer off without being about it: it puts a whole manifest in the place of the object (`kubectl replace`, a
 * chart tool that is told to force), with which all goes that the controller wrote. Where nothing else was written yet, that is told by the
 * load balancer that is given up. Whoever names the finalizer, in a patch or beside marks that stay, means it.
 */
function isTakenAlong(object: Service, stored: Service): boolean {
  if (!isUnheldBy(stored, object) || !isManifest(object)) return false;
  return isMarked(stored) ? !isMarked(object) : wantsLoadBalancer(stored) && !wantsLoadBalancer(object);
}

/** Keeps on a Service what the controller wrote, where a write takes the finalizer along: without it nothing would be cleaned up. */
export function keepMarks(object: Service, stored: Service | undefined): Kept {
  if (stored === undefined || !isTakenAlong(object, stored)) return { object, operations: [] };
  const labels = droppedLabels(stored, object);
  const operations = [...addedTo('labels', object.metadata, Object.entries(labels)), held(object)];
  return { object: heldAgain(object, labels), operations };
}

const held = ({ metadata: { finalizers } }: Service): PatchOperation =>
  finalizers === undefined
    ? { op: 'add', path: FINALIZERS, value: [FINALIZER] }
    : { op: 'add', path: `${FINALIZERS}/-`, value: FINALIZER };

/** What is told of it: to who gives the load balancer up, and may think that without the finalizer it stays. */
export const keptText = ({ object, operations }: Kept, whose: string): readonly string[] =>
  operations.length === 0 || wantsLoadBalancer(object)
    ? []
    : [`${whose}: the finalizer ${FINALIZER} stays: by it the controller cleans up what the Service has in the cloud`];
