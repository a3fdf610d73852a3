import { WELL_KNOWN } from '../../src/annotation/well-known.ts';
import type { PatchOperation } from '../admission/review.ts';
import type { StringMap } from './field-manager.ts';

/** By either of these a Node is not managed. The old one stays, because selectors use it, and gets the current one beside it. */
const EXCLUDE_LABEL = { old: WELL_KNOWN.excludeNodeOld.name, current: WELL_KNOWN.excludeNode.name };
/** By either of these it is no backend. Other controllers read them as well: nothing is added for these. */
const EXCLUDE_BACKEND = { old: WELL_KNOWN.excludeBackendOld.name, current: WELL_KNOWN.excludeBackend.name };

/**
 * Puts the current label beside the old one. It is never taken away, nor changed: a label declares nothing of who wants it, and without
 * it the Node would be managed again.
 */
export function addedLabels(labels: StringMap): readonly PatchOperation[] {
  const value = labels[EXCLUDE_LABEL.old];
  if (value === undefined || labels[EXCLUDE_LABEL.current] !== undefined) return [];
  return [{ op: 'add', path: `/metadata/labels/${EXCLUDE_LABEL.current.replaceAll('/', '~1')}`, value }];
}

/** What is said of deprecated labels in a request that brings `labels` where `stored` sandbox. */
export function labelTexts(labels: StringMap, stored: StringMap, whose: string): readonly string[] {
  const { old, current } = EXCLUDE_LABEL;
  const texts: string[] = [];
  if (labels[old] !== undefined && labels[current] === undefined && stored[current] !== undefined) {
    texts.push(`${whose}: the label ${current} is put back, because ${old} stays, which means the same; remove both`);
  } else if (labels[old] !== undefined) {
    texts.push(`${whose}: the label ${old} is deprecated, and ${current} stands beside it; write that one`);
  }
  if (labels[EXCLUDE_BACKEND.old] !== undefined) {
    texts.push(`${whose}: the label ${EXCLUDE_BACKEND.old} is deprecated; write ${EXCLUDE_BACKEND.current}`);
  }
  return texts;
}
