import type { Service } from '../../src/base/kubernetes-objects.ts';
import type { PatchOperation } from '../admission/admission-review.ts';

/** Returns the JSON Patch operations that add entries to the labels or annotations of an object. */
export function addedTo(
  map: 'labels' | 'annotations',
  metadata: Service['metadata'],
  entries: readonly (readonly [key: string, value: string])[],
): readonly PatchOperation[] {
  const path = `/metadata/${map}`;
  const added = entries.map(([key, value]) => ({
    op: 'add' as const,
    path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    value,
  }));
  // A JSON Patch cannot add an entry to a missing map.
  return metadata[map] === undefined && added.length > 0 ? [{ op: 'add', path, value: {} }, ...added] : added;
}
