import { WELL_KNOWN } from '../../src/annotation/well-known-names.ts';
import type { PatchOperation } from '../admission/admission-review.ts';
import type { StringMap } from './request-field-manager.ts';

/** The old and the current label that exclude a Node from management. The old label stays, because selectors may use the old label. */
const EXCLUDE_LABEL = { old: WELL_KNOWN.excludeNodeOld.name, current: WELL_KNOWN.excludeNode.name };
/** The labels that exclude a Node as a backend. Other controllers obey `current` too, so the webhook never adds `current`. */
const EXCLUDE_BACKEND = { old: WELL_KNOWN.excludeBackendOld.name, current: WELL_KNOWN.excludeBackend.name };

/** Returns the operation that adds the current label, so that the Node stays excluded if a user removes the old label. */
export function addedLabels(labels: StringMap): readonly PatchOperation[] {
  const value = labels[EXCLUDE_LABEL.old];
  if (value === undefined || labels[EXCLUDE_LABEL.current] !== undefined) return [];
  return [{ op: 'add', path: `/metadata/labels/${EXCLUDE_LABEL.current.replaceAll('/', '~1')}`, value }];
}

/** Returns the warning about the old label, which depends on whether the request and the stored Node have the current label. */
function oldLabelText(isInRequest: boolean, isStored: boolean): string {
  const { old, current } = EXCLUDE_LABEL;
  if (isInRequest) return `the label ${old} is deprecated: ${current} has the same effect; remove ${old}`;
  return isStored
    ? `the label ${current} is added again, because the label ${old} stays and has the same effect; remove both`
    : `the label ${old} is deprecated: the webhook also stores ${current}; use ${current}`;
}

/** Returns the warnings about deprecated labels in a request. `labels` are the labels of the request, `stored` the labels of the stored Node. */
export function labelTexts(labels: StringMap, stored: StringMap, objectName: string): readonly string[] {
  const { old, current } = EXCLUDE_LABEL;
  const texts: string[] = [];
  if (labels[old] !== undefined) {
    texts.push(`${objectName}: ${oldLabelText(labels[current] !== undefined, stored[current] !== undefined)}`);
  }
  if (labels[EXCLUDE_BACKEND.old] !== undefined) {
    texts.push(`${objectName}: the label ${EXCLUDE_BACKEND.old} is deprecated: use ${EXCLUDE_BACKEND.current}`);
  }
  return texts;
}
