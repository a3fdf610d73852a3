import { WELL_KNOWN } from '../../src/annotation/well-known.ts';
import type { PatchOperation } from '../admission/review.ts';
import type { StringMap } from './field-manager.ts';

/** The labels that exclude a Node. The old label stays, because selectors use it, and the webhook adds the current label. */
const EXCLUDE_LABEL = { old: WELL_KNOWN.excludeNodeOld.name, current: WELL_KNOWN.excludeNode.name };
/** The labels that exclude a Node as a backend. The webhook adds no label, because other controllers read both. */
const EXCLUDE_BACKEND = { old: WELL_KNOWN.excludeBackendOld.name, current: WELL_KNOWN.excludeBackend.name };

/**
 * Returns the operation that adds the current label to the old label. Neither is removed or changed: a label does not show its writer, and without it
 * the Node would be managed again.
 */
export function addedLabels(labels: StringMap): readonly PatchOperation[] {
  const value = labels[EXCLUDE_LABEL.old];
  if (value === undefined || labels[EXCLUDE_LABEL.current] !== undefined) return [];
  return [{ op: 'add', path: `/metadata/labels/${EXCLUDE_LABEL.current.replaceAll('/', '~1')}`, value }];
}

/** Returns the warnings about deprecated labels in a request, given its labels and the stored labels. */
export function labelTexts(labels: StringMap, stored: StringMap, objectName: string): readonly string[] {
  const { old, current } = EXCLUDE_LABEL;
  const texts: string[] = [];
  if (labels[old] !== undefined && labels[current] === undefined && stored[current] !== undefined) {
    texts.push(
      `${objectName}: the label ${current} is added again, because the label ${old} stays and has the same effect; remove both`,
    );
  } else if (labels[old] !== undefined) {
    texts.push(`${objectName}: the label ${old} is deprecated: the webhook also stores ${current}; use ${current}`);
  }
  if (labels[EXCLUDE_BACKEND.old] !== undefined) {
    texts.push(`${objectName}: the label ${EXCLUDE_BACKEND.old} is deprecated: use ${EXCLUDE_BACKEND.current}`);
  }
  return texts;
}
