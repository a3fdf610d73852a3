import type { Service } from '../src/objects.ts';
import { addedTo } from './added.ts';
import type { PatchOperation } from './review.ts';
import { droppedLabels, FINALIZER, heldAgain, isBeingDeleted, isUnheldBy, MARK_LABELS } from './rules/engine/marks.ts';
import { wantsLoadBalancer } from './rules/engine/subject.ts';
import { isManifest } from './writer.ts';

const FINALIZERS = '/metadata/finalizers';

/** A Service with the marks that it keeps, and the operations that put them back. */
export interface Kept {
  readonly object: Service;
  readonly operations: readonly PatchOperation[];
  /** Whether they are kept to clean up by. */
  readonly isGoing: boolean;
}

const isMarked = ({ metadata: { labels } }: Service): boolean =>
  labels !== undefined && MARK_LABELS.some((label) => label in labels);

/**
 * Whether a write takes the finalizer off without being about it: it puts a whole manifest in the place of the object (`kubectl replace`, a
 * chart tool that is told to force), with which all goes that the controller wrote. Where nothing else was written yet, that is told by the
 * load balancer that is given up, or by the deletion, which nothing else holds. Whoever names the finalizer, in a patch or beside marks that
 * stay, means it.
 */
function isTakenAlong(object: Service, stored: Service): boolean {
  if (!isUnheldBy(stored, object) || !isManifest(object)) return false;
  return isMarked(stored) ? !isMarked(object) : isGivenUp(object, stored);
}

/** Whether what a Service has in the cloud is to be cleaned up from now on, if not before. */
const isGivenUp = (object: Service, stored: Service): boolean =>
  isBeingDeleted(stored) || (wantsLoadBalancer(stored) && !wantsLoadBalancer(object));

/** Keeps on a Service what the controller wrote, where a write takes the finalizer along: without it nothing would be cleaned up. */
export function keepMarks(object: Service, stored: Service | undefined): Kept {
  if (stored === undefined || !isTakenAlong(object, stored)) return { object, operations: [], isGoing: false };
  const labels = droppedLabels(stored, object);
  const operations = [...addedTo('labels', object.metadata, Object.entries(labels)), held(object)];
  const kept = heldAgain(object, labels);
  return { object: kept, operations, isGoing: isBeingDeleted(stored) || !wantsLoadBalancer(kept) };
}

const held = ({ metadata: { finalizers } }: Service): PatchOperation =>
  finalizers === undefined
    ? { op: 'add', path: FINALIZERS, value: [FINALIZER] }
    : { op: 'add', path: `${FINALIZERS}/-`, value: FINALIZER };

/** What is told of it: to who gives the load balancer up, or writes what is being deleted, and may think that without the finalizer it stays. */
export const keptText = ({ isGoing }: Kept, whose: string): readonly string[] =>
  isGoing
    ? [`${whose}: the finalizer ${FINALIZER} stays: by it the controller cleans up what the Service has in the cloud`]
    : [];
